/** The end of a command that asked questions: what will be done, a yes, and the command line that says the same. */
import { factLines } from '../../cli/terminal/output.ts';
import { requireYes } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';

export interface Proposal {
  facts: Record<string, unknown>;
  question: string;
  /** Then Enter alone is no. */
  ringsPhones: boolean;
  /** What is said to a no. */
  otherwise?: string;
}

/** Throws InterruptedError unless the answer is yes, or `--yes` is given. */
export async function requireConsent(
  { facts, question, ringsPhones, otherwise = 'Nothing was sent.' }: Proposal,
  context: Context,
): Promise<void> {
  const { io, flags } = context;
  if (!flags.yes) {
    for (const line of factLines({ ...serviceFacts(context), ...facts }, io)) io.error(line);
    await requireYes(io, question, otherwise, !ringsPhones);
  }
  noteNextTime(context);
}

/** Where a request goes. */
export function serviceFacts({ settings }: Context): Record<string, unknown> {
  const target = settings.target();
  if (target.mode === 'local') return { Service: 'the simulator: no phone rings' };
  return { Service: target.name, Organization: settings.organization() };
}

/** Throws UsageError where nobody can say yes to what cannot be brought back. */
export async function requireForgetting(
  question: string,
  facts: Record<string, unknown>,
  context: Context,
): Promise<void> {
  const otherwise = 'Nothing was forgotten.';
  if (!context.flags.yes && !context.io.canAsk)
    throw new UsageError(`What is forgotten cannot be brought back: it needs --yes. ${otherwise}`);
  await requireConsent({ facts, question, ringsPhones: true, otherwise }, context);
}

/** The command line that does the same without questions, if any were asked. */
export function noteNextTime({ io, line }: Context): void {
  if (io.answers.length === 0 || line.isShown) return;
  line.isShown = true;
  io.note(`Next time: ${line.inFull()}`);
}
