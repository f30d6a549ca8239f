/** Reads the calls of a campaign and writes its results, to standard output or to a file, with transcripts if they are wanted. */
import type { ContactState } from '../../../calls/attribution/states.ts';
import { type ContactResult, lastCompleted, resultOf } from '../../../calls/contact-results.ts';
import { Transcripts } from '../../../calls/transcripts.ts';
import type { Context } from '../../../context.ts';
import { systemFiles } from '../../../files/file-system.ts';
import { type WriteAll, writeResults } from '../../shared/results/write.ts';
import type { ResultsLayout } from '../../shared/results/writer.ts';
import type { CampaignResults } from './campaign-results.ts';

export interface Wanted {
  out?: string;
  state?: readonly ContactState[];
  transcripts?: true;
}

/** Returns the number of rows. */
export function writeCampaignResults(
  campaign: CampaignResults,
  layout: ResultsLayout,
  { out = '-', state, transcripts: hasTranscripts }: Wanted,
  context: Context,
): Promise<number> {
  const produceWith = async (writeAll: WriteAll, transcripts?: Transcripts) => {
    await campaign.read((call) => transcripts?.keep(call));
    return writeAll(resultsIn(campaign, state, transcripts));
  };
  const keepingAt = (path: string, writeAll: WriteAll) => {
    const transcripts = new Transcripts(systemFiles, path);
    return produceWith(writeAll, transcripts).finally(() => transcripts.remove());
  };
  return writeResults(layout, out, context, async (writeAll, beside) => {
    if (!hasTranscripts) return produceWith(writeAll);
    if (beside !== undefined) return keepingAt(`${beside}.transcripts`, writeAll);
    const { temporaryFolder } = await import('../../../files/temporary-folder.ts');
    const folder = temporaryFolder();
    return keepingAt(folder.file('transcripts'), writeAll).finally(() => folder.remove());
  });
}

/** The results of the contacts in these states, in the order of the file. */
export async function* resultsIn(
  campaign: CampaignResults,
  state: readonly ContactState[] | undefined,
  transcripts?: Transcripts,
): AsyncGenerator<ContactResult> {
  const states = state && new Set(state);
  const rows = campaign.rows()[Symbol.asyncIterator]();
  for (const outcome of campaign.outcomes()) {
    const row = await rows.next();
    if (row.done) return;
    if (states?.has(outcome.state) === false) continue;
    const result = resultOf(row.value, outcome, campaign.columns);
    const completed = transcripts && lastCompleted(outcome);
    yield transcripts === undefined
      ? result
      : { ...result, transcript: completed === undefined ? null : transcripts.of(completed.mark) };
  }
}
