import type { Tally } from '../../campaigns/attribution/tally.ts';
import { RESULT_COLUMNS, resultsOf, type wanted } from '../../campaigns/results.ts';
import { countsInWords } from '../../cli/terminal/drawing.ts';
import type { Context } from '../../context.ts';
import { UsageError, type VagentError } from '../../errors.ts';
import { grouped, plural } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { readLaunches } from '../shared/find-campaign.ts';
import { type FileFlags, takeFileNames } from '../shared/output-file.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { ATTRIBUTION_HELP, warnOfShortage } from '../shared/read-launch.ts';
import { addResultsFlags, resultsFormat, showResults, type WantedFlags } from '../shared/results.ts';

interface Options extends FileFlags, WantedFlags {
  transcripts?: true;
}

export const command: CommandModule = {
  notes: `
One row a contact: the columns of your file as they were, then ${RESULT_COLUMNS.slice(0, -1).join(', ')} and
${RESULT_COLUMNS.at(-1)}. A name that your file has already gets the prefix result_.
Times are UTC, in a workbook those of this machine's zone. Campaigns whose file was not kept have phone_number and
custom_identifiers as their columns.
A CSV by --excel has the delimiter, and as a file the encoding, of the CSV that was sent.

${ATTRIBUTION_HELP}`,
  examples: [
    'vagent campaign results 1',
    'vagent campaign results 1 --out results.xlsx',
    'vagent campaign results 1 --result busy,no_answer -o csv',
    "vagent campaign results 1 --json | jq -r '.contacts[] | select(.ambiguous) | .phone_number'",
  ],
  exits: 'reading',
  lists: true,
  operation: 'getCallLogs',
  takes(command) {
    takeFileNames(command).argument('[campaign]', 'its id or name (default on a terminal: the latest)', idOrName);
    addResultsFlags(command).option('--transcripts', 'add the transcript of the last completed call');
  },
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  const { transcripts } = options;
  const format = resultsFormat(options, context);
  if (transcripts && format === 'table') {
    throw new UsageError('--transcripts: a table has no room for them.', {
      hint: 'Add --out results.csv or -o ndjson.',
    });
  }
  const { launches, launch } = await readLaunches(word, context);
  const campaign = await resultsOf(launch, launches, context);
  const onShortage = (shortage: VagentError) => warnOfShortage(shortage, context);
  const results = {
    ...{ columns: campaign.columns, form: campaign.form, rows: campaign.rows },
    madeFrom: launch.files,
    ...{ of: { campaign_id: launch.campaignId, campaign_name: launch.name } },
    more: transcripts && (['transcript'] as const),
    results: (wants: ReturnType<typeof wanted>, beside?: string) =>
      campaign.results({ wants, transcripts: transcripts && { beside }, onShortage }),
  };
  await showResults(results, format, options, context);
  context.io.note(talliedInWords(campaign.tally()));
  noteNextTime(context);
}

/** `20 contacts: 12 reached, 3 busy, 5 waiting. 2 attempts are uncertain matches.` */
function talliedInWords({ contacts, states, ambiguous }: Tally): string {
  const all = `${grouped(contacts)} ${plural(contacts, 'contact')}`;
  const counts = contacts === 0 ? '' : `: ${countsInWords(states)}`;
  const are = plural(ambiguous, 'attempt is an uncertain match', 'attempts are uncertain matches');
  return `${all}${counts}.${ambiguous === 0 ? '' : ` ${grouped(ambiguous)} ${are}.`}`;
}
