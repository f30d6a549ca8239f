/** Lays a transcript out to be read: speakers in a column of their own, their words wrapped beside it. */
import { widthOf, wrap } from '../../text/width.ts';
import { painted } from './table.ts';

/** The words of one person until somebody else speaks; `speaker` is '' for text before the first one. */
interface Turn {
  speaker: string;
  lines: string[];
}

interface Layout {
  /** The width of a line in characters. */
  columns: number;
  hasColor: boolean;
}

/** `Name:`. A time such as 10:30 and an address such as https: have no space after the colon. */
const SPEAKER = /^([^:：]{1,40}?)\s*(?::(?=\s|$)|：)/u;
/** The name and its colon must be within this many characters at the beginning of a line. */
const LONGEST_SPEAKER = 100;
const GAP = '  ';
/** The largest share of a line for the names. */
const SHARE_OF_NAMES = 1 / 3;
/** Cyan, yellow, magenta, green, blue. Red is reserved for errors. */
const COLORS = [36, 33, 35, 32, 34];

/** The turns of a transcript, or undefined if it is not a dialogue. Removes whatever could control a terminal. */
export function turnsOf(transcript: string): Turn[] | undefined {
  const turns: Turn[] = [];
  for (const line of linesOf(transcript)) {
    if (line.trim() === '') continue;
    const trimmed = line.trim();
    const [head = '', speaker = ''] = SPEAKER.exec(trimmed.slice(0, LONGEST_SPEAKER)) ?? [];
    const last = turns.at(-1);
    const text = trimmed.slice(head.length).trimStart();
    if (/\p{L}/u.test(speaker)) turns.push({ speaker, lines: text === '' ? [] : [text] });
    else if (last === undefined) turns.push({ speaker: '', lines: [trimmed] });
    else last.lines.push(trimmed);
  }
  const named = turns.filter(({ speaker }) => speaker !== '').length;
  // One colon somewhere in a report does not make the text before it a speaker.
  return named > 1 || (named === 1 && turns[0]?.speaker !== '') ? turns : undefined;
}

/** The transcript as lines of at most `columns` characters: as a dialogue, or unchanged if it is not one. */
export function layOut(transcript: string, { columns, hasColor }: Layout): string {
  const turns = turnsOf(transcript);
  const lines =
    turns === undefined
      ? linesOf(transcript.trim()).flatMap((line) => wrap(line, columns))
      : dialogue(turns, columns, hasColor);
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function dialogue(turns: readonly Turn[], columns: number, hasColor: boolean): string[] {
  const colors = new Map<string, number | undefined>();
  let longest = 0;
  for (const { speaker } of turns) {
    if (!colors.has(speaker)) colors.set(speaker, COLORS[colors.size % COLORS.length]);
    longest = Math.max(longest, widthOf(speaker));
  }
  const left = Math.max(1, Math.min(longest, Math.floor(columns * SHARE_OF_NAMES)));
  const right = Math.max(1, columns - left - GAP.length);
  return turns.flatMap(({ speaker, lines }) => {
    const names = wrap(speaker, left);
    const texts = lines.flatMap((line) => wrap(line, right));
    const color = colors.get(speaker);
    return Array.from({ length: Math.max(names.length, texts.length) }, (_none, at) => {
      const name = names[at] ?? '';
      const space = ' '.repeat(left - widthOf(name));
      return (hasColor ? painted(name, color) : name) + space + GAP + (texts[at] ?? '');
    });
  });
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) => line.replace(/\p{Cc}/gu, ' '));
}
