/** Runs a list of checks. A failure is a finding, and does not stop the checks after it. */
import { InterruptedError, VagentError } from '../errors.ts';

export interface Check {
  /** Its name in JSON, which `needs` of other checks refers to. */
  name: string;
  /** What it checks, for people. */
  what: string;
  /** The checks that must pass before this one runs. */
  needs?: readonly string[];
  /** Describes what is in order; undefined if there was nothing to check. Throws if something is not in order. */
  look(): string | undefined | Promise<string | undefined>;
}

export interface Finding {
  name: string;
  what: string;
  status: 'ok' | 'failed' | 'skipped';
  message: string;
  /** How to fix it. */
  hint: string | null;
  /** The exit code of a command that meets this failure, 0 if it passed; null if nothing was checked. */
  exit_code: number | null;
}

/** How to fix a failure, in words. */
type HintOf = (error: VagentError) => string | undefined;

const NOT_CHECKED = 'not checked';
/** The exit code of an unexpected failure. */
const UNEXPECTED = 1;

/** Runs the checks in order. Throws only InterruptedError. */
export async function* diagnose(checks: readonly Check[], hintOf: HintOf): AsyncGenerator<Finding> {
  const sound = new Set<string>();
  for (const check of checks) {
    const isReady = (check.needs ?? []).every((name) => sound.has(name));
    const finding = isReady ? await findingOf(check, hintOf) : skipped(check);
    if (finding.status === 'ok') sound.add(check.name);
    yield finding;
  }
}

async function findingOf(check: Check, hintOf: HintOf): Promise<Finding> {
  const { name, what } = check;
  try {
    const message = await check.look();
    return message === undefined ? skipped(check) : { name, what, status: 'ok', message, hint: null, exit_code: 0 };
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    if (error instanceof VagentError) {
      const { message, exitCode } = error;
      return { name, what, status: 'failed', message, hint: hintOf(error) ?? null, exit_code: exitCode };
    }
    const message = `unexpected failure, which is a bug: ${error instanceof Error ? error.message : error}`;
    return { name, what, status: 'failed', message, hint: null, exit_code: UNEXPECTED };
  }
}

function skipped({ name, what }: Check): Finding {
  return { name, what, status: 'skipped', message: NOT_CHECKED, hint: null, exit_code: null };
}
