import type { Command } from 'commander';
import { filled } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import { InputError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { sourceName } from '../../io.ts';
import { chooseFormat, printRecord } from '../../output.ts';
import { addContactFlags, type ContactOptions, checkContactsFile, unusableRows } from './flags.ts';
import { renderReport } from './show.ts';

/** The exit code of an InputError. */
const INVALID_INPUT = 3;

export function register(command: Command, context: Context): void {
  addContactFlags(command.argument('<file>', 'CSV of contacts, or - for standard input', filled))
    .addHelpText(
      'after',
      examples([
        'vagent contacts check contacts.csv',
        'vagent contacts check patients.csv --map phone_number="Mobile 2" --country DE \\\n' +
          '      --first-line "Hello {{First name|there}}, this is Ava." --exclude never-call.txt',
        'vagent contacts check patients.csv --skip-invalid --rejects to-mend.csv --json',
      ]),
    )
    .action((path: string, options: ContactOptions) => run(path, options, context));
}

async function run(path: string, options: ContactOptions, context: Context): Promise<void> {
  const { io, flags } = context;
  const file = { path, flag: '<file>' };
  const report = await checkContactsFile(file, options, context);
  const unusable = unusableRows(report, options);
  // Also where nobody reads the report to its end.
  if (unusable > 0) context.exitCode = INVALID_INPUT;
  const isTable = chooseFormat(io, flags) === 'table' && flags.fields === undefined;
  if (isTable) await io.data(renderReport(report, file, io));
  else await printRecord(io, flags, { ...report });
  if (unusable === 0) return;
  // What is wrong with them was printed.
  throw new InputError(`${sourceName(path)}: ${unusable} of ${report.rows} rows cannot be used.`, {
    hint: 'Mend them, or leave them out with --skip-invalid; --rejects puts them into a file.',
  });
}
