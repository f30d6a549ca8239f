import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Command } from 'commander';
import { requireNameFor } from '../../calls/format-by-name.ts';
import { evenParts, isPartOf, partNameOf, partNames, partsOfSize } from '../../contacts/cut/parts.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { askedArgument } from '../../flags/plain-command.ts';
import { filled, integerFrom } from '../../flags/values.ts';
import { sourceName } from '../../terminal/io.ts';
import { suggestNext } from '../../terminal/next.ts';
import { printList } from '../../terminal/output.ts';
import { complete } from '../../terminal/prompt.ts';
import { shellWord } from '../../text/shell.ts';
import { noteNextTime } from '../shared/consent.ts';
import { addContactFlags, type ContactOptions } from '../shared/contacts-flags.ts';
import { askContactsFile } from '../shared/questions.ts';
import { readAccepted } from './shared/accepted-rows.ts';

interface Options extends ContactOptions {
  parts?: number;
  size?: number;
  out?: string;
}

/** More files than anybody looks through: a size was meant as a number of parts, or the other way round. */
const MOST_PARTS = 9999;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
The file is checked as a whole first, with the rules of vagent contacts check. The parts hold the accepted rows as they
are, in their order, each once, under the original header: the flags that read the file read each part. They appear
together once all are complete, and replace files of the same names.`,
    examples: [
      'vagent contacts split contacts.csv --parts 3 --out part.csv',
      'vagent contacts split contacts.csv --size 500 --out wave.csv --skip-invalid',
    ],
    exits: EXITS.offline,
  });
  askedArgument(command, '<file>', 'CSV of contacts, or - for standard input', filled)
    .optionsGroup('Parts')
    .addOption(
      command
        .createOption('--parts <n>', 'how many files; their sizes differ by at most one row')
        .argParser(integerFrom(1, MOST_PARTS))
        .conflicts('size'),
    )
    .option('--size <n>', 'rows of each file; the last one has the rest', integerFrom(1))
    .option('--out <file>', 'part.csv stands for part-1.csv, part-2.csv and so on', filled);
  addContactFlags(command).action((path: string | undefined, options: Options) => run(path, options, context));
}

export async function run(given: string | undefined, options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const { parts, size } = options;
  if (parts === undefined && size === undefined) {
    throw new UsageError('How to cut the file is not said.', { hint: 'Give --parts <n> or --size <n>.' });
  }
  const answers = await complete(
    io,
    { path: given, out: options.out },
    {
      path: askContactsFile('<file>'),
      out: { flag: '--out', message: 'Name of the parts, such as part.csv', parse: filled },
    },
  );
  const { path, out } = answers;
  requirePartName(out);
  noteNextTime(context);
  const { writingParts } = await import('../../files/parts.ts');
  const name = partNameOf(out);
  const written = await writingParts(`${name.stem}.${name.ending}`, context.commandLine, async (file) => {
    const { header, report } = await readAccepted(path, options, (line) => file.add(line()), context);
    const sizes = sizesOf(report.accepted, options);
    const names = partNames(name, sizes.length);
    for (const part of names) context.output.requireFree(part, options.rejects === undefined ? [] : [options.rejects]);
    const cut = sizes.map((lines, at) => ({ path: names[at] as string, lines }));
    file.finish(header, cut);
    return cut;
  });
  const files = written.map(({ path: file, lines }) => ({ file, contacts: lines }));
  await printList(io, flags, { parts: files }, { key: 'parts', columns: ['file', 'contacts'] });
  noteCount(files, path, context);
  noteEarlierParts(out, files, context);
  suggestNext(io, flags, `vagent campaign create --contacts ${shellWord(files[0]?.file ?? '')}`);
}

/** Throws UsageError if a name cannot be that of several files. */
function requirePartName(out: string): void {
  if (out === '-' || /[/\\]$/.test(out)) {
    throw new UsageError(`--out ${out}: name the files, such as part.csv for part-1.csv and so on.`);
  }
  requireNameFor('a CSV', ['csv', 'tsv', 'txt'], out, '--out');
}

function sizesOf(rows: number, { parts, size = 1 }: Options): number[] {
  if (parts !== undefined && parts > rows) {
    throw new UsageError(`--parts ${parts}: there are only ${rows} contacts. Nothing was written.`);
  }
  if (parts !== undefined) return evenParts(rows, parts);
  const count = Math.ceil(rows / size);
  if (count <= MOST_PARTS) return partsOfSize(rows, size);
  throw new UsageError(`--size ${size} would cut ${rows} contacts into ${count} files. Nothing was written.`, {
    hint: `At most ${MOST_PARTS} are written. For so many parts: --parts ${size}`,
  });
}

function noteCount(files: readonly { contacts: number }[], path: string, { io }: Context): void {
  const all = files.reduce((sum, { contacts }) => sum + contacts, 0);
  const sizes = files.map(({ contacts }) => contacts);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const each = least === most ? `${most} each` : `${least} to ${most} each`;
  io.note(
    `${sourceName(path)}: ${all} contacts in ${files.length === 1 ? '1 file' : `${files.length} files, ${each}`}.`,
  );
}

/** Somebody who takes all files of that name would call people twice. */
function noteEarlierParts(out: string, files: readonly { file: string }[], { io }: Context): void {
  const name = partNameOf(basename(out));
  const written = new Set(files.map(({ file }) => basename(file)));
  const others = readdirSync(dirname(out))
    .filter((file) => isPartOf(name, file) && !written.has(file))
    .sort();
  if (others.length === 0) return;
  const shown = others.slice(0, 3).join(', ') + (others.length > 3 ? ` and ${others.length - 3} more` : '');
  const are = others.length === 1 ? 'is of an earlier run and not one' : 'are of an earlier run and not part';
  io.warn(`${shown} ${are} of these files: remove ${others.length === 1 ? 'it' : 'them'}, or people are called twice.`);
}
