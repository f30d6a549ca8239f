import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { Appender } from '../../files/appender.ts';
import { withFileErrors } from '../../files/file-error.ts';
import { systemFiles } from '../../files/file-system.ts';
import { readLines } from '../../files/json-lines.ts';
import { temporaryFolder } from '../../files/temporary-folder.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled } from '../../flags/values.ts';
import type { SentLine } from '../../register/lines.ts';
import type { Foreign } from '../../register/transfer/import-lines.ts';
import { sourceName } from '../../terminal/io.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Reads what vagent register export wrote on another machine. The whole file is checked first, and nothing is taken over
from one that was cut off or changed. What is not here is added, with a number of its own; an outcome that is unknown here
and known there is completed, never the other way. The same file can be read again, and adds nothing then. Afterwards the
guards know whom the other machine called. What was forgotten here stays forgotten; what came
forgotten from another machine is completed from an export that still has it.`,
    examples: ['vagent register import sent.ndjson', 'gunzip -c sent.ndjson.gz | vagent register import -'],
    exits: EXITS.offline,
  });
  command
    .argument('<file>', 'a file that register export wrote, or - for standard input', filled)
    .action((path: string) => run(path, context));
}

export async function run(path: string, context: Context): Promise<void> {
  // A copy: it is read twice, and must not change meanwhile.
  const folder = temporaryFolder();
  try {
    const copy = folder.file('register.ndjson');
    await copyTo(copy, path, context);
    const foreign = await check(copy, sourceName(path), context);
    const register = await context.register.open();
    const { added, completed, known, restored, withRows, unguarded } = await register.takeOver(copy, foreign);
    context.io.note(`${requests(added)} added, ${known} here already, ${completed} of them completed.`);
    if (restored > 0) context.io.note(`Whom ${requests(restored)} of them called was not known here, and is now.`);
    if (withRows > 0) context.io.note(`The rows of the file of ${requests(withRows)} were not here, and are now.`);
    if (unguarded.length > 0) context.io.warn(unguardedText(unguarded));
  } finally {
    folder.remove();
  }
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

function unguardedText(sent: readonly SentLine[]): string {
  const people = sent.reduce((sum, one) => sum + (one.operation === 'createCampaign' ? one.contacts.count : 1), 0);
  const called = `${people === 1 ? '1 person' : `${people} people`} of ${requests(sent.length)}`;
  return `${called} were forgotten and not taken over: no guard stops another call to them.`;
}

async function copyTo(copy: string, path: string, { io }: Context): Promise<void> {
  const file = withFileErrors('write', copy, () => new Appender(systemFiles, copy, 0));
  try {
    for await (const bytes of io.chunks(path, '<file>')) withFileErrors('write', copy, () => file.appendBytes(bytes));
    withFileErrors('write', copy, () => file.finish());
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** Lines between two looks for an interrupt. */
const LINES_A_TURN = 5000;

async function check(copy: string, name: string, { signal }: Context): Promise<Foreign[]> {
  const { ImportCheck } = await import('../../register/transfer/import-lines.ts');
  const found = new ImportCheck(name);
  for (const { number, text } of readLines(systemFiles, copy)) {
    found.take(text);
    if (number % LINES_A_TURN !== 0) continue;
    await nextTurn();
    signal.throwIfAborted();
  }
  found.finish();
  return found.requests;
}
