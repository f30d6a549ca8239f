import { RESULT_COLUMNS } from '../../campaigns/results.ts';
import { countsInWords } from '../../cli/terminal/drawing.ts';
import type { Context } from '../../context.ts';
import { shownCounts } from '../../plans/rules/roster.ts';
import { resultsOf } from '../../plans/run/record.ts';
import { grouped, plural } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { type FileFlags, takeFileNames } from '../shared/output-file.ts';
import type { Word } from '../shared/pick.ts';
import { addResultsFlags, resultsFormat, showResults, type WantedFlags } from '../shared/results.ts';
import { pickPlan, takesPlan } from './shared/open-plan.ts';

type Options = FileFlags & WantedFlags;

export const command: CommandModule = {
  notes: `
One row a contact: the columns of your file as they were, then ${RESULT_COLUMNS.join(', ')}
and next_call. A name that your file has already gets the prefix result_. The states are those of vagent help states. attempts
counts the calls that plan run has seen in the call log, and next_call is the earliest time at which a contact that is to be
called again may be. Times are UTC, in a workbook those of this machine's zone.

A CSV by --excel has the delimiter, and as a file the encoding, of the CSV that the plan was made from.

It asks no service: plan run brings what is new.`,
  examples: [
    'vagent plan results 1',
    'vagent plan results 1 --out results.xlsx',
    'vagent plan results 1 --state waiting,no_result -o csv',
    "vagent plan results 1 --json | jq -r '.contacts[] | select(.attempts > 1) | .phone_number'",
  ],
  exits: 'offline',
  lists: true,
  takes: (command) => addResultsFlags(takesPlan(takeFileNames(command))),
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  const format = resultsFormat(options, context);
  const { loaded, columns, rows, results } = await resultsOf(await pickPlan(word, context));
  const { plan_id, plan_name, contactsFile, contactsForm, rules } = loaded.plan;
  const shown = {
    madeFrom: [...(contactsFile === undefined ? [] : [contactsFile]), ...rules.exclude],
    ...{ of: { plan_id, plan_name }, columns, more: ['next_call'] as const, rows },
    results,
    form: contactsForm,
  };
  await showResults(shown, format, options, context);
  const people = `${grouped(loaded.plan.contacts)} ${plural(loaded.plan.contacts, 'contact')}`;
  context.io.note(`${people}: ${countsInWords(shownCounts(loaded.roster.counts))}.`);
}
