import type { Command } from 'commander';
import type { ContactState } from '../../calls/attribution/states.ts';
import { addedColumns, rowOf } from '../../calls/contact-results.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../calls/export.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled, oneOf } from '../../flags/values.ts';
import { chooseFormat, printList, requireFields } from '../../terminal/output.ts';
import { objectOf } from '../../text/json.ts';
import { noteNextTime } from '../shared/consent.ts';
import { exportFormat, takingFileNames } from '../shared/export-format.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { ATTRIBUTION_HELP } from './shared/attribution-help.ts';
import { type CampaignResults, findCampaign } from './shared/campaign-results.ts';
import { screenColumns } from './shared/results-screen.ts';
import { fieldsOfResults, type ResultsLayout } from './shared/results-writer.ts';
import { stateList } from './shared/state-list.ts';
import { talliedInWords } from './shared/tally-words.ts';
import { resultsIn, writeResults } from './shared/write-results.ts';

interface Options {
  state?: ContactState[];
  transcripts?: true;
  out?: string;
  format?: ExportFormat;
  excel?: true;
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
    .option('--state <list>', 'contacts in these states only, such as busy,no_answer', stateList)
    .option('--transcripts', 'add the transcript of the last completed call')
    .option('--out <file>', 'the file to write, replaced in one step at the end; - for standard output', filled)
    .option(
      '--format <format>',
      `${EXPORT_FORMATS.join(', ')} (default: what the name of the file ends in)`,
      oneOf(EXPORT_FORMATS),
    )
    .option('--excel', 'a CSV for spreadsheets: with a byte order mark, no formulas, every digit kept')
    .action((word: CampaignWord | undefined, options: Options) => run(word, withName(options), context));
}

export async function run(word: CampaignWord | undefined, options: Options, context: Context): Promise<void> {
  const { io } = context;
  const format = readFormat(options, context);
  const campaign = await findCampaign(word, context);
  const added = addedColumns(campaign.columns, options.transcripts === true);
  const { fields } = context.flags;
  requireFields(fields, fieldsOfResults({ columns: campaign.columns, added }));
  const { out = '-' } = options;
  if (format === 'table') await showTable(campaign, options, context);
  else {
    const layout: ResultsLayout = {
      format,
      campaign: { campaign_id: campaign.campaign_id, campaign_name: campaign.campaign_name },
      columns: campaign.columns,
      added,
      fields,
      hasHeader: !context.flags.noHeader,
      isExcel: options.excel === true,
      redact: (text) => io.redactor.redact(text),
    };
    const rows = await writeResults(campaign, layout, options, context);
    if (out !== '-') io.note(`${rows} ${rows === 1 ? 'contact' : 'contacts'} written to ${out}.`);
  }
  io.note(talliedInWords(campaign.tally()));
  noteNextTime(context);
}

/** Throws UsageError if flags contradict each other. */
function readFormat(
  { out, format, excel, transcripts }: Options,
  { io, flags }: Context,
): ResultsLayout['format'] | 'table' {
  const asked = chooseFormat(io, flags);
  const isExport = out !== undefined || format !== undefined || excel;
  const chosen = isExport ? exportFormat(format, out ?? '-', flags) : asked;
  if (excel && chosen !== 'csv') throw new UsageError(`--excel is for CSV, not ${chosen}.`);
  if (transcripts && chosen === 'table') {
    throw new UsageError('--transcripts: a table has no room for them.', {
      hint: 'Add --out results.csv or -o ndjson.',
    });
  }
  return chosen;
}

async function showTable(
  campaign: CampaignResults,
  { state }: Options,
  { io, flags, serviceClock }: Context,
): Promise<void> {
  const added = addedColumns(campaign.columns, false);
  const [first] = campaign.rows();
  const named = (field: 'state' | 'attempts' | 'last_outcome' | 'last_call') => added.get(field) as string;
  const own = screenColumns(campaign.columns, first);
  const result = [named('state'), named('attempts'), named('last_outcome'), named('last_call')];
  const screen = ['phone_number', ...own, ...result];
  await campaign.read();
  const wanted = flags.fields ?? screen;
  const items: Record<string, unknown>[] = [];
  for (const result of resultsIn(campaign, state)) {
    const row = rowOf(result, campaign.columns, added);
    items.push(objectOf(wanted.map((name) => [name, row[name]])));
  }
  const isNone = campaign.tally().contacts > 0 && state !== undefined;
  await printList(
    io,
    flags,
    { contacts: items },
    {
      key: 'contacts',
      columns: fieldsOfResults({ columns: campaign.columns, added }),
      screen,
      importance: [
        'phone_number',
        named('state'),
        named('last_outcome'),
        named('last_call'),
        ...own,
        named('attempts'),
      ],
      now: await serviceClock.now(),
      empty: isNone ? `No contact is ${state.join(' or ')}.` : 'There are no contacts.',
    },
  );
}
