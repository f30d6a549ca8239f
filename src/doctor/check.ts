/** What a check is, and how a list of them is gone through: whatever is broken is a finding, and the next check goes on. */
import { InterruptedError, VagentError } from '../errors.ts';

export interface Check {
  /** Its name for programs, by which others need it. */
  name: string;
  /** What it looks at, for people. */
  what: string;
  /** The checks that must have gone well before this one says anything. */
  needs?: readonly string[];
  /** What was found in order, in words, or undefined where there was nothing to look at. Throws what is not in order. */
  look(): string | undefined | Promise<string | undefined>;
}

export interface Finding {
  name: string;
  what: string;
  status: 'ok' | 'failed' | 'skipped';
  message: string;
  /** What to do. */
  hint: string | null;
  /** What a command would exit with that meets this; null where nothing was checked. */
  exit_code: number | null;
}

const NOT_CHECKED = 'not checked';
/** Of a failure that nobody foresaw. */
const UNEXPECTED = 1;

/** Goes through the checks in their order. Throws InterruptedError and nothing else. */
export async function* diagnose(checks: readonly Check[]): AsyncGenerator<Finding> {
  const sound = new Set<string>();
  for (const check of checks) {
    const isReady = (check.needs ?? []).every((name) => sound.has(name));
    const finding = isReady ? await findingOf(check) : skipped(check);
    if (finding.status === 'ok') sound.add(check.name);
    yield finding;
  }
}

async function findingOf(check: Check): Promise<Finding> {
  const { name, what } = check;
  try {
    const message = await check.look();
    return message === undefined ? skipped(check) : { name, what, status: 'ok', message, hint: null, exit_code: 0 };
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    if (error instanceof VagentError) {
      const { message, hint, exitCode } = error;
      return { name, what, status: 'failed', message, hint: hint ?? null, exit_code: exitCode };
    }
    const message = `unexpected failure, which is a bug: ${error instanceof Error ? error.message : error}`;
    return { name, what, status: 'failed', message, hint: null, exit_code: UNEXPECTED };
  }
}

function skipped({ name, what }: Check): Finding {
  return { name, what, status: 'skipped', message: NOT_CHECKED, hint: null, exit_code: null };
}
