import type { Command } from 'commander';
import { Sample } from '../../contacts/cut/sample.ts';
import type { Context } from '../../context.ts';
import { draw, keyBits } from '../../engine/chance.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { askedArgument } from '../../flags/plain-command.ts';
import { filled, integerFrom } from '../../flags/values.ts';
import { sourceName } from '../../terminal/io.ts';
import { complete } from '../../terminal/prompt.ts';
import { noteNextTime } from '../shared/consent.ts';
import { addContactFlags, type ContactOptions } from '../shared/contacts-flags.ts';
import { askContactsFile } from '../shared/questions.ts';
import { requireOwnFile, writeText } from '../shared/write-text.ts';
import { readAccepted } from './shared/accepted-rows.ts';

interface Options extends ContactOptions {
  count?: number;
  seed?: number;
  out?: string;
}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
The file is checked as a whole first, with the rules of vagent contacts check. Each accepted row is equally likely to be
taken, none twice. The rows are written as they are, in their order, under the original header: the flags that read the
file read the sample.`,
    examples: [
      'vagent contacts sample contacts.csv --count 2 --seed 7',
      'vagent contacts sample contacts.csv --count 2 --out sample.csv',
      'vagent contacts sample contacts.csv --count 2 | ' +
        'vagent campaign create --name Trial --agent 1 --from +14155550100 --contacts -',
    ],
    exits: EXITS.offline,
  });
  askedArgument(command, '<file>', 'CSV of contacts, or - for standard input', filled)
    .optionsGroup('Sample')
    .option('--count <n>', 'how many rows', integerFrom(1))
    .option(
      '--seed <n>',
      'the same seed takes the same rows of the same file (default: another each time)',
      integerFrom(0),
    )
    .option('--out <file>', 'the file to write, replaced in one step at the end (default: standard output)', filled);
  addContactFlags(command).action((path: string | undefined, options: Options) => run(path, options, context));
}

/** Seeds that are easy to type again. */
const SEEDS = 1_000_000;

export async function run(given: string | undefined, options: Options, context: Context): Promise<void> {
  const { io } = context;
  const { out = '-', seed = Math.floor(context.random() * SEEDS) } = options;
  const { path, count } = await complete(
    io,
    { path: given, count: options.count },
    {
      path: askContactsFile('<file>'),
      count: { flag: '--count', message: 'How many rows', parse: (text) => integerFrom(1)(text.trim()) },
    },
  );
  requireOwnFile(out, context);
  noteNextTime(context);
  const bits = keyBits(seed, 'sample', 0, 0, 0);
  // Two draws make a number that no two of a million rows are likely to share.
  const sample = new Sample(count, (row) => draw(bits, 2 * row) + draw(bits, 2 * row + 1) / 2 ** 32);
  const { header, report } = await readAccepted(path, options, (line) => sample.add(line), context);
  await writeText(withHeader(header, sample.taken()), out, context);
  const to = out === '-' ? '' : ` written to ${out}`;
  const { accepted } = report;
  const all = `all ${accepted} contacts${to}: there are no more than --count ${count}.`;
  const some = `${count} of ${accepted} contacts${to}; the same ones again with --seed ${seed}.`;
  io.note(`${sourceName(path)}: ${count < accepted ? some : all}`);
}

function* withHeader(header: string, lines: Iterable<string>): Generator<string> {
  yield header;
  yield* lines;
}
