/** What a command's help says beside its arguments and flags. */
import { type OperationName, operations } from '../../contract.ts';
import type { RowFormat } from '../../text/formats.ts';

/** The exit codes in a few words; `vagent help exit-codes` has them in full. */
export const EXIT_CODES = {
  0: 'done',
  1: 'unexpected failure',
  2: 'wrong usage',
  3: 'invalid input',
  4: 'credentials',
  5: 'not found',
  6: 'wallet too low',
  7: 'service not reached, try again',
  8: 'outcome unknown, do not repeat',
  9: 'file or store',
  10: 'call not completed',
  11: 'plan is stopped, or waits for a look',
  12: '--wait-timeout has passed',
  130: 'interrupted',
} as const;

type ExitCode = keyof typeof EXIT_CODES;

/** The codes of the kinds of commands. An unexpected failure and an interrupt can end each of them. */
export const EXITS = {
  /** It needs no service: settings, help. */
  offline: [0, 2, 3, 5, 9],
  /** It works on the local engine alone. */
  engine: [0, 2, 3, 5, 9],
  /** It can also let a campaign of the local engine go on, which wants money. */
  campaigning: [0, 2, 3, 5, 6, 9],
  /** It reads from the service. */
  reading: [0, 2, 3, 4, 5, 7, 9],
  /** It changes something at the service. */
  changing: [0, 2, 3, 4, 5, 7, 8, 9],
  /** It makes phones ring. */
  calling: [0, 2, 3, 4, 5, 6, 7, 8, 9],
  /** It waits for what came of the call. */
  waiting: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
  /** It runs what makes phones ring, if that is not stopped. */
  running: [0, 2, 3, 4, 5, 6, 7, 8, 9, 11],
} satisfies Record<string, ExitCode[]>;

export interface Explanation {
  /** What else to know; lines are wrapped anew, and an empty line separates paragraphs. */
  notes?: string;
  /** Command lines that run as they stand. */
  examples: readonly string[];
  exits: readonly ExitCode[];
  /** What `-o` can make of its output. */
  formats: readonly ('table' | RowFormat)[];
  /** The flags that are shown by their names alone, where there are many, and where they are explained. */
  rare?: { flags: readonly string[]; more: string };
  /** What it asks the service for. */
  operation?: OperationName;
}

/** `POST /trigger-call` */
export function wireName(operation: OperationName): string {
  const { method, path } = operations[operation];
  return `${method} ${path}`;
}
