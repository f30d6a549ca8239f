/** How a failure is told: the only place that renders an error, for a person or as JSON. */
import { VagentError } from './errors.ts';
import type { Io } from './io.ts';

/** Whether errors are to be JSON, read from the bare arguments: they are what could not be parsed. */
export function isJsonAsked(argv: readonly string[]): boolean {
  return argv.some((word, at) => {
    const isFormat = word === 'json' && /^(-[a-zA-Z]*o|--output)$/.test(argv[at - 1] ?? '');
    return isFormat || word === '--json' || word === '--output=json' || /^-[a-zA-Z]*ojson$/.test(word);
  });
}

/** The exit code of a bug. */
const UNEXPECTED = 1;
const MAX_SHOWN_ISSUES = 20;

/** Says what failed, at which field, and what to do; returns the exit code. */
export function renderError(io: Io, error: unknown, asJson: boolean): number {
  const isExpected = error instanceof VagentError;
  const exitCode = isExpected ? error.exitCode : UNEXPECTED;
  const message = error instanceof Error ? error.message : String(error);
  if (asJson) {
    const { code, hint, status, issues } = isExpected
      ? error
      : { code: 'unexpected', hint: undefined, status: undefined, issues: [] };
    const told = { code, message, hint: hint ?? null, status: status ?? null, exit_code: exitCode, issues };
    io.error(JSON.stringify(io.redactor.mask({ error: told })));
    return exitCode;
  }
  if (!isExpected) {
    io.error(`vagent: unexpected failure, which is a bug: ${error instanceof Error ? error.stack : message}`);
    return exitCode;
  }
  io.error(`vagent: ${message}`);
  // A single fault is in the sentence already.
  const issues = error.issues.length === 1 && message.includes(error.issues[0]?.message ?? '') ? [] : error.issues;
  for (const { field, message: fault } of issues.slice(0, MAX_SHOWN_ISSUES)) io.error(`  ${field}: ${fault}`);
  const unseen = issues.length - MAX_SHOWN_ISSUES;
  if (unseen > 0) io.error(`  … and ${unseen} more (--json shows more)`);
  if (error.hint !== undefined) io.error(`  → ${error.hint}`);
  return exitCode;
}
