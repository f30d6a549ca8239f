import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled } from '../../flags/values.ts';
import { noteNextTime } from '../shared/consent.ts';
import { writeText } from '../shared/write-text.ts';

interface Options {
  out?: string;
}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Writes everything that was sent from this machine to real services: each call and each campaign with its outcome, its
contacts and the rows of its file, for all services and organizations. It is one file of JSON lines that
vagent register import reads on another machine. It holds phone numbers and texts, but no key. Lists of people to call
again are not in it: they are good for a day, on the machine that made them.`,
    examples: ['vagent register export --out sent.ndjson', 'vagent register export | gzip > sent.ndjson.gz'],
    exits: EXITS.offline,
  });
  command
    .option('--out <file>', 'the file to write, replaced in one step at the end; - for standard output', filled)
    .action((options: Options) => run(options, context));
}

export async function run({ out = '-' }: Options, context: Context): Promise<void> {
  const { io } = context;
  const { exportLines } = await import('../../register/transfer/export-lines.ts');
  const lines = exportLines(await context.register.open(), (text) => io.redactor.redact(text));
  const { requests, contacts } = await writeText(lines, out, context);
  io.note(
    `${counted(requests, 'request')} and ${counted(contacts, 'contact')}${out === '-' ? '' : ` written to ${out}`}.`,
  );
  noteNextTime(context);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
