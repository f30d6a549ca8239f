/** Questions on a terminal that cannot show anything anew: numbered lines, and an answer that is typed as a line. */
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import { InterruptedError, UsageError } from '../../errors.ts';
import { withoutControls } from '../../text/controls.ts';
import { shortened } from '../../text/width.ts';
import { inAscii } from './environment.ts';
import type { Io } from './io.ts';
import type { LiveList } from './live-list.ts';

/** Choices shown at once. */
const MOST_LINES = 20;

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASERS = ['\u007f', '\b'];
/** What keys that are no text send. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are control characters
const NO_TEXT = /\u001b(?:\[[\d;]*[A-Za-z~]|O?[^\u001b])?|[\u0000-\u001f\u007f]/g;

/** Asks until the answer is yes or no; Enter alone means `preset`. */
export async function confirmPlainly(io: Io, message: string, preset: boolean): Promise<boolean> {
  for (;;) {
    const answer = (await lineFrom(io, `${message} (${preset ? 'Y/n' : 'y/N'})`)).trim().toLowerCase();
    if (answer === '') return preset;
    if (['y', 'yes'].includes(answer)) return true;
    if (['n', 'no'].includes(answer)) return false;
    io.error('Type y or n.');
  }
}

interface Typed {
  message: string;
  hint?: string | undefined;
  preset?: string | undefined;
  isSecret?: boolean;
  mayHaveLines?: boolean;
  /** True, or what is wrong with a text. */
  validate: (text: string) => Promise<true | string>;
}

/** Asks for a text until it will do; Enter alone gives `preset`. */
export async function typedPlainly(io: Io, question: Typed): Promise<string> {
  const { message, hint, preset, isSecret, mayHaveLines, validate } = question;
  const hints = [hint, mayHaveLines ? 'an empty line ends it' : undefined, isSecret ? 'it is not shown' : undefined];
  const known = hints.filter((text) => text !== undefined).join(', ');
  const title = `${message}${known === '' ? '' : ` (${known})`}${preset === undefined ? '' : ` [${preset}]`}`;
  for (;;) {
    const typed = isSecret ? await secretFrom(io, title) : await lineFrom(io, title, { mayGoOn: mayHaveLines });
    const lines = [typed];
    while (mayHaveLines && lines.at(-1) !== '') lines.push(await lineFrom(io, '', { isNext: true, mayGoOn: true }));
    const text = lines.join('\n').replace(/\n+$/, '');
    const answer = text === '' && preset !== undefined ? preset : text;
    const fault = await validate(answer);
    if (fault === true) return answer;
    io.error(fault);
  }
}

interface Listed<T> {
  message: string;
  /** The choice that Enter alone takes. */
  preset?: T | undefined;
  /** What stands below the choices for an answer that is not among them. */
  other?: string | undefined;
}

/** A choice, or a text that is none; an empty one where another answer is to be typed. */
export type Chosen<T> = { value: T } | { text: string };

/** Shows the choices as numbered lines; a text that is no number of a line searches for others. */
export async function chosenPlainly<T>(io: Io, list: LiveList<T>, asked: Listed<T>): Promise<Chosen<T>> {
  const { message, preset, other } = asked;
  for (let term = ''; ; ) {
    const found = await list.find(term);
    const choices = found.choices.slice(0, MOST_LINES);
    const cut = found.choices.length - choices.length;
    const rows = choices.map(({ name }) => name);
    if (other !== undefined) rows.push(term === '' ? other : `${term} (as typed)`);
    io.error(`${message}:`);
    for (const [at, row] of rows.entries()) {
      const number = String(at + 1).padStart(String(rows.length).length);
      io.error(`  ${number}) ${shortened(withoutControls(row), Math.max(1, io.columns - 8))}`);
    }
    if (choices.length === 0) io.error(`Nothing in the list has "${term}".`);
    if (cut > 0) io.error(`${cut} more: type a part of the name to search.`);
    else if (found.remark !== undefined) io.error(found.remark);
    const at = choices.findIndex(({ value }) => value === preset);
    const line = await lineFrom(io, `Number of a line, or text to search${at < 0 ? '' : ` [${at + 1}]`}`);
    const text = line.trim();
    const row = text === '' && at >= 0 ? at : /^\d+$/.test(text) ? Number(text) - 1 : -1;
    const choice = choices[row];
    if (choice !== undefined) return choice;
    if (other !== undefined && row === choices.length) return { text: term };
    const exact = choices.find(({ value }) => String(value) === text);
    if (exact !== undefined && !/^\d+$/.test(text)) return exact;
    term = text;
  }
}

/** A line that is typed below or behind what is asked. Throws InterruptedError at Ctrl-C, and where nobody can type any more. */
async function lineFrom(io: Io, asked: string, { isNext = false, mayGoOn = false } = {}): Promise<string> {
  if (!isNext) await dropTyped(io);
  show(io, isNext ? '> ' : `${asked}: `);
  const { line, rest } = await reading(io, (text) => {
    const end = text.search(/\r\n?|\n/);
    return end < 0 ? undefined : { line: text.slice(0, end), rest: text.slice(end).replace(/^\r?\n|^\r/, '') };
  });
  if (line.includes('\ufffd')) throw new UsageError('Some of it is not UTF-8, and cannot be read.');
  if (rest === '') return line.replace(NO_TEXT, '');
  // Several lines at once are no answer to a question that takes one.
  if (!mayGoOn) return [line, ...rest.split(/\r\n?|\n/)].map((text) => text.replace(NO_TEXT, '')).join('\n');
  io.streams.stdin.unshift(Buffer.from(rest));
  return line.replace(NO_TEXT, '');
}

/** The same for what must not be seen: the terminal does not show what is typed. */
async function secretFrom(io: Io, asked: string): Promise<string> {
  await dropTyped(io, { staysHidden: true });
  try {
    show(io, `${asked}: `);
    return await reading(io, (text) => {
      if (text.includes(CTRL_C) || text.includes(CTRL_D)) throw new InterruptedError();
      const end = text.search(/[\r\n]/);
      if (end < 0) return undefined;
      let line = '';
      for (const sign of text.slice(0, end)) line = ERASERS.includes(sign) ? line.slice(0, -1) : line + sign;
      return line.replace(NO_TEXT, '');
    });
  } finally {
    setRaw(io, false);
    show(io, '\n');
  }
}

function show(io: Io, text: string): void {
  const plain = io.redactor.redact(text.replace(/[^\n]+/g, withoutControls));
  io.streams.stderr.write(io.isAscii ? inAscii(plain) : plain);
}

function setRaw({ streams }: Io, isRaw: boolean): void {
  (streams.stdin as { setRawMode?: (isRaw: boolean) => void }).setRawMode?.(isRaw);
}

/** What was typed before the question appeared was not meant as its answer. The terminal may go on hiding what is typed. */
async function dropTyped(io: Io, { staysHidden = false } = {}): Promise<void> {
  const { stdin } = io.streams;
  let isLeft = false;
  const drop = (chunk: Buffer | string) => {
    isLeft ||= String(chunk).includes(CTRL_C);
  };
  setRaw(io, true);
  stdin.on('data', drop);
  await turn();
  await turn();
  stdin.off('data', drop);
  stdin.pause();
  if (isLeft || !staysHidden) setRaw(io, false);
  if (isLeft) throw new InterruptedError();
}

/** Reads until `take` finds what it wants in all that came. */
async function reading<T>({ streams: { stdin }, signal }: Io, take: (text: string) => T | undefined): Promise<T> {
  if (signal.aborted) throw new InterruptedError();
  const decoder = new StringDecoder('utf8');
  let text = '';
  return new Promise<T>((resolve, reject) => {
    const leave = () => end(() => reject(new InterruptedError()));
    const hear = (chunk: Buffer | string) => {
      text += decoder.write(chunk as Buffer);
      try {
        const taken = take(text);
        if (taken !== undefined) end(() => resolve(taken));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const end = (settle: () => void) => {
      stdin.off('data', hear);
      stdin.off('end', leave);
      stdin.pause();
      signal.removeEventListener('abort', leave);
      settle();
    };
    stdin.on('data', hear);
    stdin.on('end', leave);
    signal.addEventListener('abort', leave);
    stdin.resume();
  });
}
