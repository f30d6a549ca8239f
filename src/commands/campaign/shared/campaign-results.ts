/** What came of each contact of a campaign, beside its row in the file. */
import type { ContactOutcome, Tally } from '../../../calls/attribution/attribution.ts';
import { CONTACT_COLUMNS, type ContactRow } from '../../../calls/contact-results.ts';
import type { Context } from '../../../context.ts';
import type { CallLogEntry } from '../../../contract.ts';
import type { CampaignWord } from '../../shared/pick-campaign.ts';
import { findLaunch, knownLaunches, type LaunchPart, type Line, linesOf, readLine, tallyOf } from './launch.ts';

export interface CampaignResults {
  campaign_id: number;
  campaign_name: string;
  /** Those that its contacts came from, as they were named. */
  files: readonly string[];
  /** Of the file; of a campaign whose file was not kept, the fields of its contacts. */
  columns: readonly string[];
  /** In the order of sending. Throws FileError. */
  rows(): AsyncIterable<ContactRow>;
  /** Reads the log, and passes every entry on that may be of the campaign. */
  read(each?: (call: CallLogEntry) => void): Promise<void>;
  /** In the order of sending, after `read`. */
  outcomes(): Iterable<ContactOutcome>;
  tally(): Tally;
}

/** Throws NotFoundError, UsageError, and FileError if the contacts cannot be read. */
export async function findCampaign(word: CampaignWord | undefined, context: Context): Promise<CampaignResults> {
  const launches = await knownLaunches(context);
  const launch = await findLaunch(word, launches, context);
  const { campaign_id, campaign_name, parts } = launch;
  const [line] = (await linesOf([launch], launches, context.io)) as [Line];
  for (const part of parts) await part.load('all');
  const columns = columnsOf(parts);
  return {
    campaign_id,
    campaign_name,
    files: launch.files ?? [],
    columns: columns ?? CONTACT_COLUMNS,
    async *rows() {
      for (const part of parts) yield* rowsOf(part, columns !== undefined);
    },
    async read(each) {
      await readLine(line, launches, context, { ...(each && { each }), mayBeShort: true });
    },
    *outcomes() {
      for (const { key } of parts) yield* line.attribution.outcomesOf(key);
    },
    tally: () => tallyOf(launch, line),
  };
}

/** Undefined unless the rows of every part were kept, with the same columns. */
function columnsOf(parts: readonly LaunchPart[]): readonly string[] | undefined {
  const [first, ...others] = parts.map((part) => part.columns());
  const isSame = others.every((columns) => JSON.stringify(columns) === JSON.stringify(first));
  return isSame ? first : undefined;
}

async function* rowsOf(part: LaunchPart, hasRows: boolean): AsyncGenerator<ContactRow> {
  for await (const { contact, cells = [] } of part.sent()) {
    yield { contact, cells: hasRows ? cells : [contact.phone_number, contact.custom_identifiers ?? ''] };
  }
}
