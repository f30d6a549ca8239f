/** Saves audio from an address that the service gave. */
import { createHash } from 'node:crypto';
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

/** Types whose files end in the same word, and the others. */
const SAME = ['aac', 'amr', 'flac', 'm4a', 'mp3', 'ogg', 'opus', 'wav', 'webm'];
const ENDINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SAME.map((name) => [`audio/${name}`, name])),
  ...{ 'audio/mp4': 'm4a', 'audio/mpeg': 'mp3', 'audio/wave': 'wav', 'audio/x-m4a': 'm4a', 'audio/x-wav': 'wav' },
  ...{ 'video/mp4': 'mp4', 'video/webm': 'webm' },
};

export const AUDIO_ENDINGS = [...new Set(Object.values(ENDINGS))];

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
    throw new NotFoundError(`The local engine makes no ${what}s: ${url.hostname} is a made-up address.`);
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
    const path = pathOf(out, `${nameFrom(name)}.${endingOf(found.type, found.url)}`);
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

function requireAudio(type: string | undefined, { host }: URL, what: string): void {
  if (type === undefined || !/^text\/|[/+](json|xml|html)$/.test(type)) return;
  throw new UnavailableError(`${host} answers with ${cell(type)} in place of the ${what}.`, {
    hint: 'Its address may have expired, or need a login.',
  });
}

/** The type of the answer decides, then the address, if it ends as audio does: others would name a program or a web page. */
function endingOf(type: string | undefined, { pathname }: URL): string {
  const named = pathname.slice(pathname.lastIndexOf('.') + 1).toLowerCase();
  return ENDINGS[type ?? ''] ?? AUDIO_ENDINGS.find((ending) => ending === named) ?? 'audio';
}

/** Characters: with them, and what is added while it is written, a name is short enough for every file system. */
const LONGEST_NAME = 100;

/** The ids of a service may be anything; a name of a file must stay in its folder, and be its own. */
function nameFrom(id: string): string {
  const name = id.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '_');
  if (name.length <= LONGEST_NAME) return name;
  return `${name.slice(0, LONGEST_NAME)}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
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
