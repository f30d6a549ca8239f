/** The width of a text on a terminal, and layout based on it. Where terminals differ, the larger width counts. */

const PLAIN = /^[ -~]*$/;
const EMOJI_STYLE = '\ufe0f';
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** East Asian characters that fill two columns, and emoji. Half-width katakana and hangul fill one. */
const DOUBLE_WIDTH = new RegExp(
  '[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6' +
    '\u{16fe0}-\u{18d08}\u{1b000}-\u{1b2fb}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\\p{Emoji_Presentation}]',
  'u',
);

/** Columns of a terminal that a text fills. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  let last = 0;
  for (const character of text) {
    // It makes an emoji of the sign before it.
    const added = character === EMOJI_STYLE && last === 1 ? 1 : NO_WIDTH.test(character) ? 0 : widthOfSign(character);
    width += added;
    last = added;
  }
  return width;
}

function widthOfSign(character: string): number {
  return DOUBLE_WIDTH.test(character) ? 2 : 1;
}

/** The text followed by spaces up to a width. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The text in exactly that width: see `shortened`. */
export function fitted(text: string, width: number, mark = '…'): string {
  return padded(shortened(text, width, mark), width);
}

/**
 * The text in at most that width: `mark` stands for what does not fit. It is cut between words, or between letters if whole words
 * would leave most of the room empty.
 */
export function shortened(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let filled = 0;
  const room = width - widthOf(mark);
  for (const letter of lettersOf(text)) {
    filled += widthOf(letter);
    if (filled > room) break;
    cut += letter;
  }
  const isWordEnd = text.charAt(cut.length) === ' ';
  const words = isWordEnd ? cut.trimEnd() : cut.replace(/ +[^ ]*$/, '');
  return `${widthOf(words) * 2 < room ? cut.trimEnd() : words}${mark}`;
}

/**
 * The text in lines of at most that width. It is broken between `words`, by default at spaces, and within a word that is longer
 * than a line. A text that fits keeps all its spaces.
 */
export function wrap(text: string, width: number, words: readonly string[] = text.trim().split(/ +/)): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const piece of piecesOf(word, width)) {
      if (line !== '') lines.push(line);
      line = piece;
    }
  }
  lines.push(line);
  return lines;
}

/** The text wrapped beside `head`: what follows a break is indented as deep. */
export function hung(head: string, text: string, width: number): string[] {
  const below = ' '.repeat(widthOf(head));
  return wrap(text, Math.max(1, width - below.length)).map((line, at) => (at === 0 ? head : below) + line);
}

/** A word in pieces of at most `width`; letters keep their accents. */
function* piecesOf(word: string, width: number): Generator<string> {
  let piece = '';
  let filled = 0;
  for (const letter of lettersOf(word)) {
    const added = widthOf(letter);
    if (filled + added > width && piece !== '') {
      yield piece;
      piece = '';
      filled = 0;
    }
    piece += letter;
    filled += added;
  }
  yield piece;
}

/** Code units segmented at a time, because segmenting takes disproportionately longer for a longer text. */
const STRETCH = 256;
const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** What a reader sees as single letters. One that is longer than a stretch is not a real letter, and is cut. */
function* lettersOf(word: string): Generator<string> {
  const segmenter = new Intl.Segmenter();
  for (let start = 0; start < word.length; ) {
    const isCut = HIGH_SURROGATE.test(word.charAt(start + STRETCH - 1));
    const end = start + STRETCH - (isCut ? 1 : 0);
    const letters = [...segmenter.segment(word.slice(start, end))];
    // The last letter may continue after the stretch.
    const isEnd = end >= word.length;
    const whole = isEnd || letters.length === 1 ? letters : letters.slice(0, -1);
    for (const { segment } of whole) {
      yield segment;
      start += segment.length;
    }
  }
}
