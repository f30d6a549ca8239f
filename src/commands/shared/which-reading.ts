/** A file of contacts that was refused leads on: which reading of it is right is asked, or each is told as a command. */
import type { Answer } from '../../cli/flags/written.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { cell } from '../../cli/terminal/output.ts';
import { ask } from '../../cli/terminal/prompt.ts';
import type { CheckedFile } from '../../contacts/check-file.ts';
import type { Field } from '../../contacts/header/columns.ts';
import { isCountry } from '../../contacts/numbers/phone-cell.ts';
import { countryName } from '../../contacts/problems.ts';
import type { Reading, Refused } from '../../contacts/readings/reading.ts';
import { encodingNamed } from '../../contacts/rules.ts';
import type { Context } from '../../context.ts';
import { InputError } from '../../errors.ts';
import { counted } from '../../text/numbers.ts';
import { shortened } from '../../text/width.ts';

/** The flags by which a file is read, as options. */
interface ReadingOptions {
  encoding?: string | undefined;
  delimiter?: string | undefined;
  headerLine?: number | undefined;
  map?: { field: Field; column: string }[] | undefined;
  country?: string | undefined;
}

/** The readings that are shown in full, and told as commands. */
const MOST_SHOWN = 5;
const MOST_WAYS = 8;
/** What one after another can be wrong with a file. */
const DEEPEST = 4;

const FLAGS = {
  encoding: '--encoding',
  delimiter: '--delimiter',
  headerLine: '--header-line',
  mapping: '--map',
  country: '--country',
} as const satisfies Record<Reading['rule'], string>;

/** As it would be given on the command line. */
function answerOf({ rule, value }: Pick<Reading, 'rule' | 'value'>): Answer {
  if (rule === 'mapping') return { flag: FLAGS.mapping, text: `phone_number=${value}` };
  return { flag: FLAGS[rule], text: rule === 'delimiter' && value === '\t' ? 'tab' : value };
}

/** The options as if the flag had been given. */
function withReading<O extends ReadingOptions>(options: O, { rule, value }: Pick<Reading, 'rule' | 'value'>): O {
  if (rule === 'headerLine') return { ...options, headerLine: Number(value) };
  if (rule !== 'mapping') return { ...options, [rule]: value };
  return { ...options, map: [...(options.map ?? []), { field: 'phone_number' as const, column: value }] };
}

/** Whether there may be another reading of it. */
function isRefused(outcome: Refused): boolean {
  return outcome instanceof InputError || outcome.unusable > 0 || outcome.report.accepted === 0;
}

// On a terminal ----------------------------------------------------------------------------------------------------------

/** The options with the reading that was chosen; undefined if it is none of them. */
export async function askReading<O extends ReadingOptions>(
  refused: Refused,
  readings: readonly Reading[],
  options: O,
  name: string,
  { io, settings }: Context,
): Promise<O | undefined> {
  io.error(whatIsWrong(refused, readings, name, options.country ?? settings.profile()?.country));
  for (const reading of readings.slice(0, MOST_SHOWN)) show(reading, io);
  const unseen = readings.length - MOST_SHOWN;
  if (unseen > 0) io.error(`  … and ${unseen} more, in the list below.`);
  const rules = new Set(readings.map(({ rule }) => rule));
  const [only] = rules.size === 1 ? rules : [];
  const other = only && OTHERS[only];
  const choices = readings.map((value) => ({ name: choiceOf(value), value }));
  const chosen = await ask<Pick<Reading, 'rule' | 'value'> | undefined>(io, {
    flag: '',
    message: QUESTIONS[only ?? 'several'],
    // Enter alone chooses nothing: a number that is read wrongly is somebody else's.
    choices: async () => [{ name: 'none of these', value: undefined }, ...choices],
    ...(other !== undefined && {
      other: other.name,
      parse: async (text) => ({ rule: only as Reading['rule'], value: await other.parse(text.trim()) }),
    }),
  });
  if (chosen === undefined) return undefined;
  const answer = answerOf(chosen);
  // An encoding that did not help either is not said the next time.
  const before = chosen.rule === 'mapping' ? -1 : io.answers.findIndex(({ flag }) => flag === answer.flag);
  if (before !== -1) io.answers.splice(before, 1);
  io.answers.push(answer);
  return withReading(options, chosen);
}

const QUESTIONS: Record<Reading['rule'] | 'several', string> = {
  encoding: 'Which of them is right?',
  delimiter: 'Which of them is right?',
  headerLine: 'Which line has the names of the columns?',
  mapping: 'Which column has the number to call?',
  country: 'Country of these numbers',
  several: 'Which of them is right?',
};

const OTHERS: Partial<Record<Reading['rule'], { name: string; parse: (text: string) => Promise<string> | string }>> = {
  encoding: {
    name: 'another encoding',
    parse(text) {
      const encoding = encodingNamed(text);
      if (encoding === undefined) throw new Error('It is not the name of an encoding, such as windows-1252.');
      return encoding;
    },
  },
  country: {
    name: 'another country',
    parse(text) {
      if (!isCountry(text)) throw new Error('It is not a country of the list, nor its ISO code, such as DE.');
      return text.toUpperCase();
    },
  },
};

function whatIsWrong(
  refused: Refused,
  readings: readonly Reading[],
  name: string,
  country: string | undefined,
): string {
  if (refused instanceof InputError) return refused.message;
  const without = country === undefined ? 'without a country code' : `that are none in ${countryName(country)}`;
  return `${name} has numbers ${without}, such as ${readings[0]?.before}.`;
}

function show(reading: Reading, io: Io): void {
  io.error(`  ${titleOf(reading)}`);
  for (const { line, text } of reading.lines) {
    io.error(shortened(`    line ${line}  ${cell(text)}`, io.columns - 1));
  }
}

function titleOf({ rule, value }: Reading): string {
  if (rule === 'headerLine') return `header on line ${value}`;
  if (rule === 'delimiter') return `cells between ${value === '\t' ? 'tabs' : JSON.stringify(value)}`;
  return rule === 'country' ? `${value} ${countryName(value).replace(/^the /, '')}` : value;
}

function choiceOf(reading: Reading): string {
  const { rule, before, first } = reading;
  return `${titleOf(reading)}   ${rule === 'country' ? `${before} → ${first}` : cell(first)}`;
}

// Elsewhere --------------------------------------------------------------------------------------------------------------

interface Way {
  answers: Answer[];
  claims: string[];
  /** What the command would still refuse: of rows, those that cannot be used. */
  toBeFixed?: string | undefined;
}

function rowsToFix({ unusable, report: { rows } }: CheckedFile): string | undefined {
  return unusable === 0 ? undefined : `${unusable} of ${counted(rows, 'row')} then still to be fixed`;
}

/** What is known of a file: by the options, how it could be read, and what comes of it. */
interface Trials<O extends ReadingOptions> {
  readings(refused: Refused, options: O): Promise<Reading[]>;
  check(options: O): Promise<Refused>;
}

/** The lines of advice with a command for each way to read the file; undefined if there is none. `isChecked`: each was tried. */
export async function adviceToRead<O extends ReadingOptions>(
  refused: Refused,
  options: O,
  trials: Trials<O>,
  isChecked: boolean,
  { line }: Context,
): Promise<string | undefined> {
  const { ways, unseen } = await waysOf(refused, options, trials, { depth: isChecked ? DEEPEST : 0, most: MOST_WAYS });
  if (ways.length === 0) return undefined;
  const lines = ways.map(({ answers, claims, toBeFixed }) => {
    const claim = toBeFixed === undefined ? claims.join(' and ') : `${claims.join(' and ')}, ${toBeFixed}`;
    return `If ${claim}: ${line.inFull([], answers)}`;
  });
  const [last] = ways[0]?.answers.slice(-1) ?? [];
  const more =
    unseen === 0 ? [] : [`Or another, with ${last?.flag}: ${counted(unseen, 'reading')} more could be right.`];
  return [...lines, ...more].join('\n');
}

/** `most` ways, shared out evenly among the readings of each step. */
async function waysOf<O extends ReadingOptions>(
  refused: Refused,
  options: O,
  trials: Trials<O>,
  { depth, most, answered = {} }: { depth: number; most: number; answered?: Partial<Record<Reading['rule'], true>> },
): Promise<{ ways: Way[]; unseen: number }> {
  const found = await trials.readings(refused, options);
  // A country that did not help is not followed by another.
  const readings = found.filter(({ rule }) => rule === 'mapping' || !(rule in answered));
  const tried = readings.slice(0, Math.min(most, MOST_SHOWN));
  const share = Math.max(1, Math.floor(most / Math.max(1, tried.length)));
  const ways: Way[] = [];
  let unseen = readings.length - tried.length;
  for (const reading of tried) {
    const here = { answers: [answerOf(reading)], claims: [claimOf(reading)] };
    if (depth === 0) {
      ways.push(here);
      continue;
    }
    const next = withReading(options, reading);
    const outcome = await trials.check(next);
    const isAgain = isRefused(outcome);
    const further = isAgain
      ? await waysOf(outcome, next, trials, {
          depth: depth - 1,
          most: share,
          answered: { ...answered, [reading.rule]: true },
        })
      : undefined;
    unseen += further?.unseen ?? 0;
    if (further !== undefined && further.ways.length > 0) {
      for (const { answers, claims, toBeFixed } of further.ways) {
        ways.push({ answers: [...here.answers, ...answers], claims: [...here.claims, ...claims], toBeFixed });
      }
    } else if (!(outcome instanceof InputError)) ways.push({ ...here, toBeFixed: rowsToFix(outcome) });
  }
  return { ways, unseen };
}

function claimOf({ rule, value, lines, first }: Reading): string {
  const shown = JSON.stringify(shortened(cell(first), 40));
  if (rule === 'country') {
    const read = lines.map(({ text }) => text.replace(' → ', ' is ')).join(', ');
    return `${read} (${value})`;
  }
  if (rule === 'headerLine') return `the header is line ${value}, ${shown}`;
  if (rule === 'delimiter') return `the first cell is ${shown}`;
  return rule === 'mapping' ? `the number is in ${value}, such as ${first}` : `${shown} is right`;
}
