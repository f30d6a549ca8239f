/** Exports a log, page by page, to wherever it goes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallLogEntry } from '../contract.ts';
import { InterruptedError, VagentError } from '../errors.ts';
import { type RowLayout, RowWriter } from '../text/formats.ts';
import { TextIndex } from '../text/text-index.ts';
import { INCOMPLETE, type Page } from './paging/pages.ts';

/** What must be the same for one run to continue another's work. */
export type ExportIdentity = Record<string, unknown>;

/** What was done by the end of a page. */
export interface PageDone {
  /** Bytes of the file that hold the calls up to here. */
  bytes: number;
  /** The offset in the service's log at which reading continues. */
  offset: number;
  /** Calls written to the file. */
  rows: number;
  /** How many calls the service counted by then, if it reported a number. */
  total: number | undefined;
}

/** An export as an earlier run has left it. */
export interface Begun extends PageDone {
  since: number | undefined;
  /** Every call that was read, whether written or left out. */
  seen: TextIndex;
  /** Bytes of the checkpoint's whole lines; 0 if there is none. */
  whole: number;
}

export function notBegun(since: number | undefined): Begun {
  return { bytes: 0, offset: 0, rows: 0, total: undefined, since, seen: new TextIndex(), whole: 0 };
}

export interface ExportTarget {
  /** Calls written, including those of an earlier run. */
  readonly count: number;
  /** Texts that a spreadsheet cuts off. */
  readonly cut: number;
  /** Writes the `wanted` calls of a page. */
  page(page: Page, wanted: readonly CallLogEntry[]): Promise<void>;
  finish(): Promise<void>;
  /** Called when the export was cut off. True if something is kept that a later run can go on with. */
  leave(): boolean;
}

export class ExportStream extends RowWriter implements ExportTarget {
  readonly #put: (text: string) => Promise<void>;

  constructor(layout: RowLayout, put: (text: string) => Promise<void>) {
    super(layout);
    this.#put = put;
  }

  async page(_page: Page, wanted: readonly CallLogEntry[]): Promise<void> {
    await this.#put(await this.rows(wanted));
  }

  async finish(): Promise<void> {
    await this.#put(await this.end());
  }

  leave(): boolean {
    return false;
  }
}

interface ExportOptions {
  /** Undefined if every call is wanted. */
  select: ((call: CallLogEntry) => boolean) | undefined;
  /** Whether the export is kept although the service shows fewer calls than it counts. */
  mayBeShort: boolean;
  signal: AbortSignal;
}

/**
 * Returns the error that the service counts more calls than it shows, if that may be; throws it otherwise, InterruptedError, and
 * the errors of the service and of files. What was written until then is left as the target can.
 */
export async function exportCalls(
  reading: AsyncIterable<Page>,
  target: ExportTarget,
  { select, mayBeShort, signal }: ExportOptions,
): Promise<VagentError | undefined> {
  let shortfall: VagentError | undefined;
  try {
    for await (const page of reading) {
      // Pages of the local engine never wait, so without this an interrupt would never arrive.
      await nextTurn();
      if (signal.aborted) throw new InterruptedError();
      await target.page(page, select === undefined ? page.calls : page.calls.filter(select));
    }
  } catch (error) {
    if (!(mayBeShort && error instanceof VagentError && error.code === INCOMPLETE)) throw error;
    shortfall = error;
  }
  await target.finish();
  return shortfall;
}
