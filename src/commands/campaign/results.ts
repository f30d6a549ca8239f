import type { Command } from 'commander';
import { CONTACT_STATES, type ContactState } from '../../calls/attribution/states.ts';
import { addedColumns } from '../../calls/contact-results.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { requireFields } from '../../terminal/output.ts';
import { noteNextTime } from '../shared/consent.ts';
import { takingFileNames } from '../shared/export-format.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { addResultsFlags, type ResultsFlags, resultsFormat } from '../shared/results/flags.ts';
import { showResultsTable } from '../shared/results/table.ts';
import { fieldsOfResults, type ResultsLayout } from '../shared/results/writer.ts';
import { spareMemory } from '../shared/spare-memory.ts';
import { stateListOf } from '../shared/state-list.ts';
import { ATTRIBUTION_HELP } from './shared/attribution-help.ts';
import { type CampaignResults, findCampaign } from './shared/campaign-results.ts';
import { talliedInWords } from './shared/tally-words.ts';
import { resultsIn, writeCampaignResults } from './shared/write-results.ts';

interface Options extends ResultsFlags {
  state?: ContactState[];
  transcripts?: true;
}

const HELP = `
One row a contact: the columns of your file as they were, then state, attempts, last_status, last_outcome, first_call,
last_call, talk_seconds, call_ids, recording_url and ambiguous. A name that your file has already gets the prefix result_.
Times are UTC. Campaigns whose file was not kept have phone_number and custom_identifiers as their columns.
`;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `${HELP}\n${ATTRIBUTION_HELP}`,
    examples: [
      'vagent campaign results 1',
      'vagent campaign results 1 --out results.csv --excel',
      'vagent campaign results 1 --state busy,no_answer -o csv',
      "vagent campaign results 1 --json | jq -r '.contacts[] | select(.ambiguous) | .phone_number'",
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  const withName = takingFileNames<Options>(command);
  command
    .argument('[campaign]', 'its id or name (default on a terminal: the latest)', campaignWord)
    .option('--state <list>', 'contacts in these states only, such as busy,no_answer', stateListOf(CONTACT_STATES))
    .option('--transcripts', 'add the transcript of the last completed call');
  addResultsFlags(command).action((word: CampaignWord | undefined, options: Options) =>
    run(word, withName(options), context),
  );
}

export async function run(word: CampaignWord | undefined, options: Options, context: Context): Promise<void> {
  const { io } = context;
  const format = readFormat(options, context);
  const campaign = await findCampaign(word, context);
  const added = addedColumns(campaign.columns, options.transcripts ? ['transcript'] : []);
  const { fields } = context.flags;
  requireFields(fields, fieldsOfResults({ columns: campaign.columns, added }));
  const { out = '-' } = options;
  if (format === 'table') await showTable(campaign, options, context);
  else {
    const layout: ResultsLayout = {
      madeFrom: campaign.files,
      format,
      of: { campaign_id: campaign.campaign_id, campaign_name: campaign.campaign_name },
      columns: campaign.columns,
      added,
      fields,
      hasHeader: !context.flags.noHeader,
      isExcel: options.excel === true,
      redact: (text) => io.redactor.redact(text),
    };
    const rows = await writeCampaignResults(campaign, layout, options, context);
    if (out !== '-') io.note(`${rows} ${rows === 1 ? 'contact' : 'contacts'} written to ${out}.`);
  }
  io.note(talliedInWords(campaign.tally()));
  noteNextTime(context);
}

/** Throws UsageError if flags contradict each other. */
function readFormat(options: Options, context: Context): ResultsLayout['format'] | 'table' {
  const chosen = resultsFormat(options, context);
  if (options.transcripts && chosen === 'table') {
    throw new UsageError('--transcripts: a table has no room for them.', {
      hint: 'Add --out results.csv or -o ndjson.',
    });
  }
  return chosen;
}

async function showTable(campaign: CampaignResults, { state }: Options, context: Context): Promise<void> {
  spareMemory();
  const { columns } = campaign;
  const { value: first } = await campaign.rows()[Symbol.asyncIterator]().next();
  await campaign.read();
  const isNone = campaign.tally().contacts > 0 && state !== undefined;
  await showResultsTable(
    {
      columns,
      added: addedColumns(columns),
      results: () => resultsIn(campaign, state),
      first,
      shown: ['state', 'attempts', 'last_outcome', 'last_call'],
      mostImportant: ['state', 'last_outcome', 'last_call'],
      empty: isNone ? `No contact is ${state.join(' or ')}.` : 'There are no contacts.',
    },
    context,
  );
}
