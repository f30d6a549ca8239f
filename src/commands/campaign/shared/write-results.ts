/** Reads the calls of a campaign and writes its results, to standard output or to a file, with transcripts if they are wanted. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { ContactState } from '../../../calls/attribution/states.ts';
import { type ContactResult, lastCompleted, resultOf } from '../../../calls/contact-results.ts';
import { Transcripts } from '../../../calls/transcripts.ts';
import type { Context } from '../../../context.ts';
import { InterruptedError } from '../../../errors.ts';
import { systemFiles } from '../../../files/file-system.ts';
import type { CampaignResults } from './campaign-results.ts';
import { type ResultsLayout, resultsWriter } from './results-writer.ts';

/** Contacts that are written at a time. */
const BATCH = 500;

export interface Wanted {
  out?: string;
  state?: readonly ContactState[];
  transcripts?: true;
}

type Sink = (text: string) => Promise<void> | void;

/** A file appears when it is complete. Returns the number of rows. */
export async function writeResults(
  campaign: CampaignResults,
  layout: ResultsLayout,
  { out = '-', state, transcripts: hasTranscripts }: Wanted,
  context: Context,
): Promise<number> {
  // What is kept of the calls fills most of the memory; by default as much garbage may gather beside it.
  setFlagsFromString('--heap-growing-percent=50');
  const write = async (sink: Sink, transcripts: Transcripts | undefined) => {
    await campaign.read((call) => transcripts?.keep(call));
    const writer = resultsWriter(layout);
    let rows = 0;
    for (const batch of batches(resultsIn(campaign, state, transcripts))) {
      await nextTurn();
      if (context.signal.aborted) throw new InterruptedError();
      await sink(await writer.rows(batch));
      rows += batch.length;
    }
    await sink(await writer.end());
    noteCut(writer.cut, out, context);
    return rows;
  };
  const writeWith = (path: string, sink: Sink) => {
    const transcripts = new Transcripts(systemFiles, path);
    return write(sink, transcripts).finally(() => transcripts.remove());
  };
  if (out !== '-') {
    const { writingFile } = await import('../../../files/in-progress.ts');
    return writingFile(out, { command: context.commandLine }, (file) => {
      const sink = (text: string) => file.write(layout.redact(text));
      return hasTranscripts ? writeWith(`${file.beside}.transcripts`, sink) : write(sink, undefined);
    });
  }
  const toStdout = (text: string) => context.io.data(text);
  if (!hasTranscripts) return write(toStdout, undefined);
  const { temporaryFolder } = await import('../../../files/temporary-folder.ts');
  const folder = temporaryFolder();
  return writeWith(folder.file('transcripts'), toStdout).finally(() => folder.remove());
}

function noteCut(cut: number, out: string, { io }: Context): void {
  if (cut === 0) return;
  const texts = cut === 1 ? 'text is' : 'texts are';
  io.warn(`${cut} ${texts} longer than a spreadsheet's cell; ${out === '-' ? 'the CSV' : out} has all of it.`);
}

/** The results of the contacts in these states, in the order of the file. */
export function* resultsIn(
  campaign: CampaignResults,
  state: readonly ContactState[] | undefined,
  transcripts?: Transcripts,
): Generator<ContactResult> {
  const states = state && new Set(state);
  const rows = campaign.rows()[Symbol.iterator]();
  for (const outcome of campaign.outcomes()) {
    const row = rows.next();
    if (row.done) return;
    if (states?.has(outcome.state) === false) continue;
    const result = resultOf(row.value, outcome, campaign.columns);
    const completed = transcripts && lastCompleted(outcome);
    yield transcripts === undefined
      ? result
      : { ...result, transcript: completed === undefined ? null : transcripts.of(completed.mark) };
  }
}

function* batches<T>(items: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
