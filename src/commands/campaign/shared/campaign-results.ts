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
  const { campaign_id, campaign_name, part } = launch;
  const [line] = (await linesOf([launch], launches, context.io)) as [Line];
  await part.load('all');
  const columns = part.columns();
  return {
    campaign_id,
    campaign_name,
    files: launch.files ?? [],
    columns: columns ?? CONTACT_COLUMNS,
    rows: () => rowsOf(part, columns !== undefined),
    async read(each) {
      await readLine(line, launches, context, { ...(each && { each }), mayBeShort: true });
    },
    outcomes: () => line.attribution.outcomesOf(part.key),
    tally: () => tallyOf(launch, line),
  };
}

async function* rowsOf(part: LaunchPart, hasRows: boolean): AsyncGenerator<ContactRow> {
  for await (const { contact, cells = [] } of part.sent()) {
    yield { contact, cells: hasRows ? cells : [contact.phone_number, contact.custom_identifiers ?? ''] };
  }
}
