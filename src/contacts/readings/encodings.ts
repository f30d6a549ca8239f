/** The encodings in which a whole file is text, without those that give the same text. */
import { createHash } from 'node:crypto';
import iconv from 'iconv-lite';
import { InputError } from '../../errors.ts';
import { decode } from '../read/decode.ts';
import { DELIMITERS, firstRows } from '../read/first-rows.ts';
import { linesEndedIn, recut, wholeLines } from '../read/lines.ts';
import { ENCODINGS, type Encoding } from '../rules.ts';
import type { Reading, Reread } from './reading.ts';

/** Of encodings that give the same text, the first is named. */
const IN_ORDER: readonly Encoding[] = [...new Set<Encoding>(['utf-8', 'windows-1252', ...ENCODINGS])];

/** What one encoding makes of the file. */
class Text {
  readonly encoding: Encoding;
  /** The same for the same text. */
  key = '';
  /** The first lines that it changes. */
  lines: { line: number; text: string }[] = [];

  constructor(encoding: Encoding) {
    this.encoding = encoding;
  }

  read(bytes: Buffer): string {
    return iconv.decode(bytes, this.encoding, { stripBOM: false });
  }

  /** The share of its words that nobody writes so. */
  get oddness(): number {
    const words = this.lines.flatMap(({ text }) => text.match(WORDS) ?? []).filter((word) => !ASCII.test(word));
    return words.length === 0 ? 0 : words.filter(isOdd).length / words.length;
  }
}

/** Encodings in which a character may have several bytes. */
const SEVERAL_BYTES: readonly Encoding[] = ['utf-8', 'shift_jis', 'euc-jp', 'euc-kr', 'gbk', 'gb18030', 'big5'];

const LINES_JUDGED = 500;
const LINES_SHOWN = 3;

/** Characters that an encoding gives to bytes that are no text in it. */
const NO_TEXT = /[\ufffd\u0080-\u009f\p{Co}\p{Cn}\p{Cs}]/u;
const ASCII = /^[\0-\x7f]*$/;
/** Letters and signs between spaces and the punctuation of ASCII. */
const WORDS = /[^\s\0-\x2f:-@[-`{-~]+/gu;

/** Letters of these do not stand in one word. */
const SCRIPTS = [
  /\p{scx=Latin}/u,
  /\p{scx=Cyrillic}/u,
  /\p{scx=Greek}/u,
  /\p{scx=Hebrew}/u,
  /\p{scx=Arabic}/u,
  /\p{scx=Thai}/u,
  /\p{scx=Hangul}/u,
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u,
];
/** A letter and a sign side by side, and a capital that is not the first letter among small ones. */
const SIGN = '[\\p{S}\\p{No}\u00a7\u00b6\u00b7\u2020-\u2022\u2030]';
const LATE = '\\p{L}(?![\\0-\\x7f])\\p{Lu}\\p{Ll}|\\p{Ll}(?![\\0-\\x7f])\\p{Lu}';
const ODD = new RegExp(`\\p{L}${SIGN}|${SIGN}\\p{L}|\\p{L}[\u00a1\u00bf]|${LATE}`, 'u');

function isOdd(word: string): boolean {
  const letters = word.match(/[\p{L}\p{M}]/gu)?.join('') ?? '';
  return ODD.test(word) || SCRIPTS.filter((script) => script.test(letters)).length > 1;
}

/** The largest share of odd words in what may be right. */
const ODD_AT_MOST = 0.2;

/**
 * `present` is that in which it was refused. `reads`: whether it gives a table of contacts, or would with one more question; that
 * only counts where none gives one.
 */
export async function encodingReadings(
  file: Reread,
  present: Encoding | undefined,
  reads: (encoding: Encoding) => Promise<boolean | 'with one more'>,
): Promise<Reading[]> {
  const texts = await textsOf(
    file,
    IN_ORDER.filter((encoding) => encoding !== (present ?? 'utf-8')),
  );
  const different = new Map<string, Text>();
  const withMore = new Map<string, Text>();
  for (const text of texts) {
    if (different.has(text.key) || withMore.has(text.key) || text.lines.length === 0) continue;
    const answer = await reads(text.encoding);
    if (answer !== false) (answer === true ? different : withMore).set(text.key, text);
  }
  const found = [...(different.size > 0 ? different : withMore).values()].sort(
    (one, other) => one.oddness - other.oddness,
  );
  const likely = found.filter(({ oddness }) => oddness <= ODD_AT_MOST);
  const offered = likely.length > 0 ? likely : found;
  const telling = await tellingLines(file, offered);
  return offered.map(({ encoding }, at) => {
    const lines = telling.map(({ line, texts }) => ({ line, text: texts[at] ?? '' }));
    const inOrder = lines.toSorted((one, other) => one.line - other.line);
    const others = telling[0]?.texts.filter((_text, other) => other !== at) ?? [];
    return { rule: 'encoding', value: encoding, lines: inOrder, first: changedCell(lines[0]?.text ?? '', others) };
  });
}

/** Some lines that the texts change; those come first in which they are not the same. */
async function tellingLines(file: Reread, texts: readonly Text[]): Promise<{ line: number; texts: string[] }[]> {
  const [only, second] = texts;
  if (only === undefined) return [];
  if (second === undefined || isWide(only.encoding)) {
    return only.lines.slice(0, LINES_SHOWN).map(({ line }, at) => ({
      line,
      texts: texts.map(({ lines }) => lines[at]?.text ?? ''),
    }));
  }
  const telling: { line: number; texts: string[] }[] = [];
  const same: typeof telling = [];
  for await (const lines of changedLines(file)) {
    for (const { line, bytes } of lines) {
      const readings = texts.map((text) => text.read(bytes));
      const of = new Set(readings).size > 1 ? telling : same;
      if (of.length < LINES_SHOWN) of.push({ line, texts: readings });
      if (telling.length === LINES_SHOWN) return telling;
    }
  }
  return [...telling, ...same].slice(0, LINES_SHOWN);
}

function isWide(encoding: Encoding): boolean {
  return encoding.startsWith('utf-16');
}

/** The encodings in which all of the file is text. */
async function textsOf(file: Reread, encodings: readonly Encoding[]): Promise<Text[]> {
  const first: ChangedLine[] = [];
  const seen = Buffer.alloc(256);
  let several = encodings
    .filter((encoding) => SEVERAL_BYTES.includes(encoding))
    .map((encoding) => ({
      text: new Text(encoding),
      hash: createHash('sha1'),
    }));
  for await (const lines of changedLines(file)) {
    // No other encoding has zeros.
    if (lines.some(({ bytes }) => bytes.includes(0))) return wideTexts(file, encodings.filter(isWide));
    first.push(...lines.slice(0, LINES_JUDGED - first.length));
    for (const { bytes } of lines) for (const byte of bytes) seen[byte] = 1;
    const together = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, LINE_END]));
    several = several.filter(({ text, hash }) => {
      const read = text.read(together);
      hash.update(read);
      return !NO_TEXT.test(read);
    });
  }
  // Where a byte is a character, what all of them are says whether it is text, and which.
  const used = Buffer.from([...seen.keys()].filter((byte) => seen[byte] === 1));
  const single = encodings.filter((encoding) => !isWide(encoding) && !SEVERAL_BYTES.includes(encoding));
  const texts = single.map((encoding) => new Text(encoding));
  for (const text of texts) text.key = text.read(used);
  for (const { text, hash } of several) text.key = hash.digest('hex');
  const found = [...several.map(({ text }) => text), ...texts.filter(({ key }) => !NO_TEXT.test(key))];
  for (const text of found) text.lines = first.map(({ line, bytes }) => ({ line, text: text.read(bytes) }));
  return found.sort((one, other) => encodings.indexOf(one.encoding) - encodings.indexOf(other.encoding));
}

const LINE_END = Buffer.from('\n');

interface ChangedLine {
  line: number;
  bytes: Buffer;
}

/** A line with a byte that is not ASCII, or is zero. */
const CHANGED = /[^\r\n]*[\0\x80-\xff][^\r\n]*/g;

/** In batches. */
async function* changedLines(file: Reread): AsyncGenerator<ChangedLine[]> {
  let line = 1;
  let last = 0;
  for await (const piece of recut(file.bytes(), wholeLines)) {
    const lines: ChangedLine[] = [];
    let counted = 0;
    // A byte is a character of latin1, so the places are those of the bytes.
    for (const { 0: found, index } of piece.toString('latin1').matchAll(CHANGED)) {
      line += linesEndedIn(piece.subarray(counted, index), last);
      last = piece[index - 1] ?? last;
      counted = index;
      lines.push({ line, bytes: piece.subarray(index, index + found.length) });
    }
    if (lines.length > 0) yield lines;
    line += linesEndedIn(piece.subarray(counted), last);
    last = piece.at(-1) ?? last;
  }
}

async function wideTexts(file: Reread, encodings: readonly Encoding[]): Promise<Text[]> {
  const found: Text[] = [];
  for (const encoding of encodings) {
    const text = new Text(encoding);
    text.key = encoding;
    const { pieces } = await decode(file.bytes(), file.name, encoding);
    let line = 1;
    try {
      for await (const piece of recut(pieces, wholeLines)) {
        const read = piece.toString();
        if (NO_TEXT.test(read)) throw new InputError(`${file.name} is not ${encoding}.`);
        const room = LINES_JUDGED - text.lines.length;
        for (const each of read.split(/\r\n|\n|\r/).slice(0, room)) text.lines.push({ line: line++, text: each });
      }
      text.lines = text.lines.filter(({ text }) => text !== '');
      found.push(text);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
  return found;
}

/** The first cell of a line that `others` have otherwise, or that is more than ASCII, whatever is between the cells. */
function changedCell(text: string, others: readonly string[]): string {
  const unquoted = text.replace(/"(?:[^"]|"")*"/g, '');
  const delimiter = DELIMITERS.find((sign) => sign !== ',' && unquoted.includes(sign)) ?? ',';
  const [cells = [], ...otherCells] = [text, ...others].map((line) => firstRows(line, delimiter)[0] ?? []);
  const isTelling = (cell: string, at: number) => otherCells.some((other) => other[at] !== cell);
  return cells.find(isTelling) ?? cells.find((cell) => !ASCII.test(cell)) ?? text;
}
