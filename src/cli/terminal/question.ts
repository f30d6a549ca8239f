/** Shows one question on stderr and reads its answer from the keyboard. Loaded only when somebody is asked. */
import { Writable } from 'node:stream';
import { confirm, input, password, search } from '@inquirer/prompts';
import { InterruptedError, isTransient, UsageError, VagentError } from '../../errors.ts';
import { withoutControls } from '../../text/controls.ts';
import { shortened, widthOf, wrap } from '../../text/width.ts';
import { inAscii } from './environment.ts';
import type { Io } from './io.ts';
import { asInput, asMeant, asShown, Keyboard } from './keyboard.ts';
import { type Choice, LiveList } from './live-list.ts';
import { chosenPlainly, confirmPlainly, typedPlainly } from './plain-question.ts';
import { whileWaiting } from './progress.ts';
import { painted } from './table.ts';

interface Asking {
  /**
   * The flag or the argument (`<to>`) that the answer stands for, in the words of the error if nobody can be asked; '' if none
   * does.
   */
  flag: string;
  message: string;
  /** A few words behind the message while it is answered. */
  hint?: string;
  /** A sentence shown above the question. */
  help?: string;
}

/** An answer that is typed. A text that will not do makes `parse` throw, and is asked for again. */
export interface TextQuestion<T> extends Asking {
  parse: (text: string) => T | Promise<T>;
  /** The text that Enter alone gives. */
  preset?: string | undefined;
  /** It is not shown while it is typed, and is no part of any command line. */
  isSecret?: true;
  /** It may have several lines, and may be written in an editor. */
  mayHaveLines?: true;
}

/** An answer that is chosen from a list, which is read while somebody looks at its first page. */
export interface ListQuestion<T> extends Asking {
  choices: () => AsyncIterable<Choice<T>[]> | Promise<Choice<T>[]>;
  /** Reads the answer where the list cannot be read, and another than the listed ones if `other` names such. */
  parse?: (text: string) => T | Promise<T>;
  other?: string;
  /** The choice that Enter alone takes. */
  preset?: T | undefined;
}

export type Question<T> = TextQuestion<T> | ListQuestion<T>;

export interface Answered<T> {
  value: T;
  /** The answer as it would be written on the command line. */
  text: string;
  /** How it was shown in the list that it was chosen from. */
  name?: string | undefined;
}

/** Asks for a checked answer. Throws InterruptedError if the question is left. */
export async function answerTo<T>(io: Io, question: Question<T>): Promise<Answered<T>> {
  // The notes so far may be what the answer depends on.
  io.releaseNotes();
  if (question.help !== undefined) for (const line of wrap(question.help, io.columns)) io.error(line);
  return 'choices' in question ? chosen(io, question) : typed(io, question);
}

/** Asks for yes or no; Enter alone means `preset`. */
export async function askYesNo(io: Io, message: string, preset: boolean): Promise<boolean> {
  io.releaseNotes();
  if (io.isPlain) return confirmPlainly(io, message, preset);
  return atKeyboard(io, (where) => confirm({ message: withoutControls(message), default: preset }, where));
}

// Typed answers ------------------------------------------------------------------------------------------------------

async function typed<T>(io: Io, question: TextQuestion<T>): Promise<Answered<T>> {
  const { isSecret, mayHaveLines, preset } = question;
  const read = async (text: string): Promise<Answered<T>> => {
    const meant = asMeant(text);
    if (meant.includes('\n') && !mayHaveLines)
      throw new UsageError('Several lines were pasted, but the answer is one line.');
    // Bytes that are no text have become this character before they are seen here.
    if (meant.includes('\ufffd')) throw new UsageError('Some of it is not UTF-8, and cannot be read: type it again.');
    const value = await question.parse(meant);
    return { value, text: typeof value === 'string' ? value : meant };
  };
  const validate = (text: string) =>
    read(text).then(
      () => true as const,
      (error: unknown) => reasonOf(question.flag, error),
    );
  if (io.isPlain) return read(await typedPlainly(io, { ...question, validate }));
  const { message, theme } = titleOf(question);
  if (isSecret)
    return read(await atKeyboard(io, (where) => password({ message, theme, validate, toggleMask: false }, where)));
  if (!mayHaveLines) {
    const asked = { message, theme, validate, transformer: asShown, ...(preset !== undefined && { default: preset }) };
    return read(await atKeyboard(io, (where) => input(asked, where)));
  }
  return longText(io, question, { validate, read });
}

const BOLD = 1;
const DIM = 2;

/** The message of a question, and in its theme how it is shown: its hint goes when the question is answered. */
function titleOf({ message, hint }: Pick<Question<unknown>, 'message' | 'hint'>) {
  const title = withoutControls(message);
  const shown = (status: string) => (status === 'done' || hint === undefined ? '' : ` ${painted(`(${hint})`, DIM)}`);
  const style = { message: (text: string, status: string) => painted(text, BOLD) + shown(status) };
  return { message: title, theme: { style } };
}

interface Reading<T> {
  validate: (text: string) => Promise<true | string>;
  read: (text: string) => Promise<Answered<T>>;
}

/** Typed or pasted here, or written in the person's editor: Ctrl-G opens it with what is there so far. */
async function longText<T>(
  io: Io,
  { hint, preset = '', ...question }: TextQuestion<T>,
  { validate, read }: Reading<T>,
): Promise<Answered<T>> {
  const hints = [hint, 'Ctrl-G: editor'].filter((text) => text !== undefined);
  const { message, theme } = titleOf({ ...question, hint: hints.join(', ') });

  for (let draft = preset; ; ) {
    const transformer = (text: string) => {
      draft = asMeant(text);
      return asShown(text);
    };
    const start = draft === '' ? {} : { default: asInput(draft), prefill: 'editable' as const };
    const editor = new AbortController();
    const typing = atKeyboard(io, (where) => input({ message, theme, validate, transformer, ...start }, where), editor);
    const text = await typing.catch((error: unknown) => {
      if (!editor.signal.aborted || io.signal.aborted) throw error;
    });
    if (text !== undefined) return read(text);
    const edited = await fromEditor(io, draft);
    if (edited === undefined) continue;
    const fault = await validate(edited);
    if (fault === true) {
      const [first = '', ...rest] = edited.trim().split('\n');
      const more = rest.length === 0 ? '' : ` (${rest.length + 1} lines)`;
      io.error(`${message}: ${shortened(first, LONGEST_BRIEF)}${more}`);
      return read(edited);
    }
    io.error(fault);
    draft = edited;
  }
}

/** Characters of a text that was written elsewhere. */
const LONGEST_BRIEF = 60;

/** The words of an error, without the flag that the question stands for. */
function reasonOf(flag: string, error: unknown): string {
  const hint = error instanceof VagentError && error.hint !== undefined ? ` ${error.hint}` : '';
  const { message } = error as Error;
  const words = flag === '' ? message : message.replace(`${flag}: `, '').replace(`${flag} `, '');
  return withoutControls(`${words}${hint}`);
}

// Chosen answers -----------------------------------------------------------------------------------------------------

async function chosen<T>(io: Io, question: ListQuestion<T>): Promise<Answered<T>> {
  const { flag, parse, other } = question;
  let list: LiveList<T>;
  try {
    list = await whileWaiting(io, 'Reading the list', LiveList.open(question.choices()));
  } catch (error) {
    // The command can still do its work if the answer is typed.
    if (parse === undefined || !isTransient(error)) throw error;
    io.error(`There is no list to choose from: ${error.message}`);
    return typed(io, asTyped(question));
  }
  if (list.isEmpty) {
    if (parse !== undefined && other !== undefined) return typed(io, asTyped(question));
    throw new UsageError(`Missing: ${flag}, and there is nothing to choose from.`);
  }
  if (io.isPlain) return numbered(io, list, question);
  const { message, theme } = titleOf(question);
  const { pageSize, help } = roomFor(message, io);
  const answer = await atKeyboard(io, (where) =>
    search<Row<T>>(
      {
        message,
        source: (term = '') =>
          where.input.holdUntil(
            rowsFor(term, list, question, where.output.columns - CURSOR - (io.isAscii ? LONGER_MARK : 0)),
          ),
        pageSize,
        theme: { style: { ...theme.style, searchTerm: asShown, keysHelpTip: () => help } },
        ...(question.preset !== undefined && { default: question.preset as Row<T> }),
      },
      where,
    ),
  );
  if (answer instanceof Other) return answer.answered ?? typed(io, asTyped(question));
  return { value: answer as T, text: String(answer), name: list.nameOf(answer as T) };
}

/** The same where nothing can be shown anew. */
async function numbered<T>(io: Io, list: LiveList<T>, question: ListQuestion<T>): Promise<Answered<T>> {
  const { flag, message, preset, parse, other } = question;
  for (;;) {
    const answer = await chosenPlainly(io, list, { message, preset, other: parse && other });
    if ('value' in answer) return { ...answer, text: String(answer.value), name: list.nameOf(answer.value) };
    if (answer.text === '' || parse === undefined) return typed(io, asTyped(question));
    try {
      return { value: await parse(answer.text), text: answer.text };
    } catch (error) {
      io.error(reasonOf(flag, error));
    }
  }
}

function asTyped<T>({ flag, message, parse }: ListQuestion<T>): TextQuestion<T> {
  return { flag, message, parse: parse as TextQuestion<T>['parse'] };
}

const HELP = 'Type to search, arrow keys, Enter';
/** Columns before a choice. */
const CURSOR = 2;
/** Columns by which `...` is longer than `…`. */
const LONGER_MARK = 2;
/** Choices to a page, if the terminal has room for them. */
const MOST_ROWS = 10;
/** Below this many rows, a terminal has no room to say which keys there are. */
const ROWS_FOR_HELP = 10;
/** Columns for what is searched. */
const TERM = 10;

/** A question that is higher than its terminal could not be drawn anew. */
function roomFor(message: string, io: Io): { pageSize: number; help: string } {
  const { columns, rows = ROWS_FOR_HELP } = sizeOf(io);
  const rowsOf = (width: number) => Math.ceil(width / columns);
  const help = rows < ROWS_FOR_HELP ? '' : HELP;
  const around = rowsOf(CURSOR + widthOf(message) + TERM) + (help === '' ? 0 : 1 + rowsOf(HELP.length)) + 1;
  return { pageSize: Math.max(1, Math.min(MOST_ROWS, rows - around)), help };
}

/** An answer that is not in the list: typed where the list is searched, or still to be typed. */
class Other<T> {
  readonly answered: Answered<T> | undefined;
  constructor(answered?: Answered<T>) {
    this.answered = answered;
  }
}

type Row<T> = T | Other<T>;

async function rowsFor<T>(
  term: string,
  list: LiveList<T>,
  { flag, message, parse, other }: ListQuestion<T>,
  width: number,
) {
  const { choices, remark } = await list.find(term);
  // Below the list, whichever choice is marked.
  const below = remark === undefined ? {} : { description: shortened(remark, width) };
  const rows: { name: string; short?: string; value: Row<T>; disabled?: string; description?: string }[] = choices.map(
    ({ name, value }) => {
      // Names come from others.
      const shown = shortened(withoutControls(name), width);
      // The answer stands behind the message and a space, and the last column stays free.
      return { name: shown, short: shortened(shown, width - widthOf(message) - 2), value, ...below };
    },
  );
  const text = asMeant(term).trim();
  if (other !== undefined && parse !== undefined) {
    if (text === '') rows.push({ name: shortened(other, width), value: new Other() });
    else if (!choices.some(({ value }) => String(value) === text)) {
      const reading = (async () => new Other({ value: await parse(text), text }))();
      const typed = await reading.catch((error: unknown) => reasonOf(flag, error));
      if (typed instanceof Other) rows.push({ name: shortened(text, width), value: typed });
      else if (choices.length === 0) rows.push({ name: text, value: new Other(), disabled: `(${typed})` });
    }
  }
  return rows;
}

// The terminal -------------------------------------------------------------------------------------------------------

/** Where a prompt of the library reads and writes. */
interface Where {
  input: NodeJS.ReadableStream & Keyboard;
  output: Writable & { columns: number; rows: number };
  signal: AbortSignal;
  /** Whether the question disappears when it is over. */
  clearPromptOnDone?: boolean;
}

/** The answer of a prompt. Throws InterruptedError at Ctrl-C, and leaves the terminal as it was. */
async function atKeyboard<T>(io: Io, prompt: (where: Where) => Promise<T>, editor?: AbortController): Promise<T> {
  const keyboard = await Keyboard.open(io.streams, editor && (() => editor.abort()));
  const where: Where = {
    input: keyboard as unknown as Where['input'],
    output: outputFor(io),
    signal: editor === undefined ? io.signal : AbortSignal.any([io.signal, editor.signal]),
    get clearPromptOnDone() {
      return editor?.signal.aborted === true;
    },
  };
  try {
    return await prompt(where);
  } catch (error) {
    if (['ExitPromptError', 'AbortPromptError'].includes((error as Error).name)) throw new InterruptedError();
    throw error;
  } finally {
    keyboard.close();
  }
}

/** The signs of questions alone. */
const ASCII: Record<string, string> = { '✔': '+', '⏎': '|' };
const SIGNS = new RegExp(`[${Object.keys(ASCII).join('')}]`, 'gu');

/** Of the terminal that standard error is: stdout may be a file. */
function sizeOf({ streams, columns }: Io): { columns: number; rows: number | undefined } {
  const stderr = streams.stderr as Partial<NodeJS.WriteStream>;
  return { columns: stderr.columns || columns, rows: stderr.rows || undefined };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
const COLOURS = /\u001b\[[\d;]*m/g;

/** Standard error with the size of its terminal, and without colours if none are wanted: the library always writes them. */
function outputFor(io: Io): Where['output'] {
  const { colorsStderr } = io;
  const { stderr } = io.streams;
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = colorsStderr ? String(chunk) : String(chunk).replace(COLOURS, '');
      stderr.write(io.isAscii ? inAscii(text).replace(SIGNS, (sign) => ASCII[sign] ?? sign) : text);
      // At once, so that nothing that is written to standard error directly comes before it.
      done();
    },
  });
  return Object.defineProperties(output, {
    isTTY: { get: () => stderr.isTTY },
    columns: { get: () => sizeOf(io).columns },
    rows: { get: () => sizeOf(io).rows },
  }) as Where['output'];
}

/** Only the person may read the file while it is edited. */
const EDITED = { postfix: '.txt', mode: 0o600 };

/**
 * The text as it was saved, without line breaks at its end. Undefined, with a note that says why, if the editor cannot be run,
 * or leaves the text empty or unchanged. Throws InterruptedError at Ctrl-C.
 */
async function fromEditor(io: Io, before: string): Promise<string | undefined> {
  const { editAsync } = await import('@inquirer/external-editor');
  let text: string | undefined;
  try {
    text = await editAsync(before, EDITED);
  } catch (error) {
    const fault = (error as Error).message
      .replace('Failed to launch editor. ', '')
      .replace(/^spawn (.*) ENOENT$/, '$1 is not there');
    io.error(`The editor cannot be used: ${fault}. Set EDITOR to one that is installed, or type the text here.`);
  }
  if (io.signal.aborted) throw new InterruptedError();
  const edited = text?.replace(/\r\n|\r/g, '\n').replace(/\n+$/, '');
  if (edited === undefined || (edited.trim() !== '' && edited !== before)) return edited;
  io.error(edited.trim() === '' ? 'The editor left no text.' : 'The editor left the text as it was.');
  return undefined;
}
