/** A transcript laid out to be read: who speaks in a column of its own, and what is said wrapped beside it. */

/** What one person says until somebody else does; the speaker is '' for what stands before the first one. */
export interface Turn {
  speaker: string;
  lines: string[];
}

export interface Layout {
  /** Characters to a line. */
  columns: number;
  hasColor: boolean;
}

/** `Name: text`. A time such as 10:30 and an address such as https: have no space there. */
const SPEAKER_LINE = /^\s*([^:：]{1,40}?)\s*(?::(?=\s|$)|：)\s*(.*)$/u;
const GAP = '  ';
/** What is left of a line for the names, at most. */
const SHARE_OF_NAMES = 1 / 3;
/** Cyan, yellow, magenta, green, blue: red is for what went wrong. */
const COLORS = [36, 33, 35, 32, 34];

/** The turns of a transcript, or undefined where it is no dialogue. Nothing in them can command a terminal. */
export function turnsOf(transcript: string): Turn[] | undefined {
  const turns: Turn[] = [];
  for (const line of linesOf(transcript)) {
    if (line.trim() === '') continue;
    const [, speaker = '', text = ''] = SPEAKER_LINE.exec(line) ?? [];
    const last = turns.at(-1);
    if (/\p{L}/u.test(speaker)) turns.push({ speaker, lines: text === '' ? [] : [text.trimEnd()] });
    else if (last === undefined) turns.push({ speaker: '', lines: [line.trim()] });
    else last.lines.push(line.trim());
  }
  const named = turns.filter(({ speaker }) => speaker !== '').length;
  // A colon somewhere in a report makes no speaker of what stands before it.
  return named > 1 || (named === 1 && turns[0]?.speaker !== '') ? turns : undefined;
}

/** The transcript as lines of at most `columns` characters: a dialogue, or as it is where it is none. */
export function layOut(transcript: string, { columns, hasColor }: Layout): string {
  const turns = turnsOf(transcript);
  const lines =
    turns === undefined
      ? linesOf(transcript.trim()).flatMap((line) => wrapped(line, columns))
      : dialogue(turns, columns, hasColor);
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function dialogue(turns: readonly Turn[], columns: number, hasColor: boolean): string[] {
  const speakers = [...new Set(turns.map(({ speaker }) => speaker))];
  const longest = Math.max(...speakers.map(widthOf));
  const left = Math.max(1, Math.min(longest, Math.floor(columns * SHARE_OF_NAMES)));
  const right = Math.max(1, columns - left - GAP.length);
  return turns.flatMap(({ speaker, lines }) => {
    const names = wrapped(speaker, left);
    const texts = lines.flatMap((line) => wrapped(line, right));
    const color = COLORS[speakers.indexOf(speaker) % COLORS.length];
    return Array.from({ length: Math.max(names.length, texts.length) }, (_none, at) => {
      const name = names[at] ?? '';
      const space = ' '.repeat(left - widthOf(name));
      const shown = hasColor && name !== '' ? `\u001b[${color}m${name}\u001b[39m` : name;
      return shown + space + GAP + (texts[at] ?? '');
    });
  });
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) => line.replace(/\p{Cc}/gu, ' '));
}

/** A line that fits stays as it is; another one is broken at spaces, a word that is longer than a line anywhere. */
function wrapped(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/ +/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = piecesOf(word, width);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return [...lines, line];
}

/** No letter is parted from its accents. */
function piecesOf(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let filled = 0;
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const added = widthOf(segment);
    if (filled + added > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      filled = 0;
    }
    piece += segment;
    filled += added;
  }
  return [...pieces, piece];
}

const PLAIN = /^[ -~]*$/;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
const DOUBLE_WIDTH =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** Characters of a terminal that a text takes; where terminals differ, the larger number. */
function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : DOUBLE_WIDTH.test(character) ? 2 : 1;
  return width;
}
