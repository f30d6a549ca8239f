/** Shows a failure: the only place that renders an error, for a person or as JSON. */
import { VagentError } from '../../errors.ts';
import { withEscapedControls } from '../../text/controls.ts';
import { type GlobalFlags, isJson } from '../flags/global.ts';
import { hintOf } from './advice.ts';
import type { Io } from './io.ts';

/** Whether errors must be JSON, read from the raw arguments because parsing them may be what failed. */
export function isJsonAsked(argv: readonly string[]): boolean {
  return argv.some((word, at) => {
    const isFormat = word === 'json' && /^(-[a-zA-Z]*o|--output)$/.test(argv[at - 1] ?? '');
    return isFormat || word === '--json' || word === '--output=json' || /^-[a-zA-Z]*o=?json$/.test(word);
  });
}

/** The exit code of a bug. */
const UNEXPECTED = 1;
const MAX_SHOWN_ISSUES = 20;

/** Shows what failed, in which field, and what to do; returns the exit code. The flags are those of the command line. */
export function renderError(io: Io, error: unknown, flags: GlobalFlags): number {
  const isExpected = error instanceof VagentError;
  const exitCode = isExpected ? error.exitCode : UNEXPECTED;
  const message = error instanceof Error ? error.message : String(error);
  const hint = isExpected ? hintOf(error, flags) : undefined;
  if (isJson(flags)) {
    const { code, status, issues } = isExpected ? error : { code: 'unexpected', status: undefined, issues: [] };
    const shown = { code, message, hint: hint ?? null, status: status ?? null, exit_code: exitCode, issues };
    // Escaped, it has the same meaning for a program but no effect on a terminal.
    io.errorData(withEscapedControls(JSON.stringify(io.redactor.mask({ error: shown }))));
    return exitCode;
  }
  if (!isExpected) {
    io.error(`vagent: unexpected failure, which is a bug: ${error instanceof Error ? error.stack : message}`);
    return exitCode;
  }
  io.error(`vagent: ${message}`);
  // If there is a single issue, the sentence already contains it.
  const issues = error.issues.length === 1 && message.includes(error.issues[0]?.message ?? '') ? [] : error.issues;
  for (const { field, message } of issues.slice(0, MAX_SHOWN_ISSUES)) io.error(`  ${field}: ${message}`);
  const unseen = issues.length - MAX_SHOWN_ISSUES;
  if (unseen > 0) io.error(`  … and ${unseen} more (--json shows more)`);
  if (hint !== undefined) io.error(`  → ${hint}`);
  return exitCode;
}
