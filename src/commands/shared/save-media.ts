/** Saves audio from an address that the service gave. */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import type { OptionsOf } from '../../cli/flags/values.ts';
import { filled, size } from '../../cli/flags/values.ts';
import { cell } from '../../cli/terminal/output.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { requireYes } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { InputError, NotFoundError, UnavailableError, UsageError } from '../../errors.ts';
import { audioName, requireAudio } from '../../http/client/audio.ts';
import { withFileErrors } from '../../storage/files/file-system.ts';
import { counted } from '../../text/numbers.ts';
import { readUrl } from '../../text/url.ts';

const MEGABYTE = 1_000_000;
const MOST_BYTES = 200 * MEGABYTE;

/** The flags of every command that saves audio. `out`: a file, a folder, or `-`; `maxSize` in bytes. */
const FLAGS = {
  out: [
    '--out <file>',
    'the file to write, or its folder; - for standard output (default: named after the id)',
    filled,
  ],
  maxSize: ['--max-size <size>', 'the most to save, such as 500MB or 1GB (default 200MB)', size],
} as const;

export type MediaOptions = OptionsOf<typeof FLAGS>;

export function addMediaFlags(command: PlainCommand): PlainCommand {
  return command.takesFlags(FLAGS);
}

export interface Media {
  address: string;
  /** In messages. */
  what: 'recording' | 'preview';
  /** Of the file, without its ending. */
  name: string;
}

/** Domains that are kept free for examples: the local engine gives such addresses. */
const MADE_UP = /(^|\.)(example|invalid)$/;

/**
 * Throws NotFoundError if there is nothing, InputError if it is too large, UnavailableError if it does not come in full, and
 * UsageError if a file would be lost.
 */
export async function saveMedia(
  { address, what, name }: Media,
  { out, maxSize = MOST_BYTES }: MediaOptions,
  context: Context,
): Promise<void> {
  const { io, line } = context;
  const url = readUrl(address);
  if (url === undefined) throw new InputError(`The address of the ${what} is none: ${cell(address)}`);
  if (MADE_UP.test(url.hostname)) {
    throw new NotFoundError(`The simulator makes no ${what}s: ${url.hostname} is a made-up address.`);
  }
  if (out === '-' && io.stdoutIsTerminal) {
    throw new UsageError(`A ${what} is not for a terminal.`, { hint: 'Name a file, or pipe it to a player.' });
  }
  const found = await context.services.download(url, what, maxSize);
  const progress = new Progress(io, 'Downloading, in kB');
  let bytes = 0;
  const copy = async (write: (chunk: Buffer) => void | Promise<void>) => {
    for await (const chunk of found.chunks()) {
      await write(chunk);
      bytes += chunk.length;
      progress.at(kilobytes(bytes), found.length === undefined ? undefined : kilobytes(found.length));
    }
    if (bytes === 0) throw new UnavailableError(`${found.url.host} answers with nothing in place of the ${what}.`);
  };
  try {
    requireAudio(found.type, found.url, what);
    if (out === '-') return await copy((chunk) => io.put(chunk));
    const path = pathOf(out, audioName(name, found.type, found.url));
    await requireFree(path, context);
    const { writingFile } = await import('../../storage/files/in-progress.ts');
    await writingFile(path, line, (file) => copy((chunk) => file.write(chunk)));
    progress.end();
    io.note(`The ${what} is in ${path} (${sizeInWords(bytes)}).`);
  } finally {
    progress.end();
    found.close();
  }
}

function pathOf(out: string | undefined, name: string): string {
  if (out === undefined) return name;
  return standingAt(out)?.isDirectory() ? join(out, name) : out;
}

function standingAt(path: string): Stats | undefined {
  return withFileErrors('write', path, () => statSync(path, { throwIfNoEntry: false }));
}

/** Nothing is replaced without a yes. */
async function requireFree(path: string, { io, flags }: Context): Promise<void> {
  if (flags.yes || standingAt(path) === undefined) return;
  if (!io.canAsk) {
    throw new UsageError(`${path} exists; nothing was written.`, {
      hint: 'Add --yes to replace it, or name another with --out.',
    });
  }
  await requireYes(io, `Replace ${path}?`, 'Nothing was written.');
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000);
}

function sizeInWords(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
