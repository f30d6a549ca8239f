import type { Command } from 'commander';
import { addedColumns } from '../../calls/contact-results.ts';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { CONTACT_STATES, type ContactState } from '../../plans/roster.ts';
import { requireFields } from '../../terminal/output.ts';
import { labelInWords } from '../../terminal/words.ts';
import { grouped } from '../../text/numbers.ts';
import { takingFileNames } from '../shared/export-format.ts';
import { addResultsFlags, type ResultsFlags, resultsFormat } from '../shared/results/flags.ts';
import { showResultsTable } from '../shared/results/table.ts';
import { writeResults } from '../shared/results/write.ts';
import { fieldsOfResults, type ResultsLayout } from '../shared/results/writer.ts';
import { stateListOf } from '../shared/state-list.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { type PlanResults, resultsOf } from './shared/plan-results.ts';

interface Options extends ResultsFlags {
  state?: ContactState[];
}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
One row a contact: the columns of your file as they were, then state, attempts, last_status, last_outcome, first_call,
last_call, talk_seconds, call_ids, recording_url, ambiguous and next_call. A name that your file has already gets the prefix
result_. The states are those of vagent help plans. attempts counts the calls that plan run has seen in the call log, and
next_call is the earliest time at which a contact that is to be called again may be. Times are UTC.

It asks no service: plan run brings what is new.`,
    examples: [
      'vagent plan results 1',
      'vagent plan results 1 --out results.csv --excel',
      'vagent plan results 1 --state again,unseen -o csv',
      "vagent plan results 1 --json | jq -r '.contacts[] | select(.attempts > 1) | .phone_number'",
    ],
    exits: EXITS.offline,
  });
  const withName = takingFileNames<Options>(command);
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open one)', planWord)
    .option('--state <list>', 'contacts in these states only, such as again,unseen', stateListOf(CONTACT_STATES));
  addResultsFlags(command).action((word: PlanWord | undefined, options: Options) =>
    run(word, withName(options), context),
  );
}

export async function run(word: PlanWord | undefined, options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const format = resultsFormat(options, context);
  const found = await resultsOf(await pickPlan(word, context));
  const { columns, loaded } = found;
  const added = addedColumns(columns, ['next_call']);
  requireFields(flags.fields, fieldsOfResults({ columns, added }));
  const { out = '-', state } = options;
  if (format === 'table') await showTable(found, { state, added }, context);
  else {
    const { plan_id, plan_name, contactsFile, rules } = loaded.plan;
    const layout: ResultsLayout = {
      madeFrom: [...(contactsFile === undefined ? [] : [contactsFile]), ...rules.exclude],
      format,
      of: { plan_id, plan_name },
      ...{ columns, added, fields: flags.fields, hasHeader: !flags.noHeader, isExcel: options.excel === true },
      redact: (text) => io.redactor.redact(text),
    };
    const rows = await writeResults(layout, out, context, (writeAll) => writeAll(found.results(state)));
    if (out !== '-') io.note(`${rows} ${rows === 1 ? 'contact' : 'contacts'} written to ${out}.`);
  }
  io.note(inWords(loaded.roster.counts));
}

async function showTable(
  { columns, rows, results }: PlanResults,
  { state, added }: { state: ContactState[] | undefined; added: ReturnType<typeof addedColumns> },
  context: Context,
): Promise<void> {
  const { value: first } = await rows()[Symbol.asyncIterator]().next();
  await showResultsTable(
    {
      ...{ columns, added, first, results: () => results(state) },
      shown: ['state', 'attempts', 'last_outcome', 'last_call', 'next_call'],
      mostImportant: ['state', 'last_outcome', 'last_call'],
      empty: state === undefined ? 'There are no contacts.' : `No contact is ${state.join(' or ')}.`,
    },
    context,
  );
}

/** `25 contacts: 12 reached, 3 exhausted, 10 new.` */
function inWords(counts: Record<ContactState, number>): string {
  const contacts = CONTACT_STATES.reduce((sum, state) => sum + counts[state], 0);
  const parts = CONTACT_STATES.filter((state) => counts[state] > 0).map(
    (state) => `${grouped(counts[state])} ${labelInWords(state)}`,
  );
  return `${grouped(contacts)} ${contacts === 1 ? 'contact' : 'contacts'}: ${parts.join(', ')}.`;
}
