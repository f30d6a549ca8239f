/**
 * Names of phone columns in many languages: words for a phone, words that may stand beside them, and words that mean a phone only
 * together, as "number" alone does not. A name with any other word, such as "fax" or "emergency", is not a phone column.
 */
import WORDS from './phone-words.json' with { type: 'json' };

const wordSet = (lines: readonly string[]) => new Set(lines.flatMap((line) => line.split(' ').map(plainHeader)));
const phoneWords = wordSet(WORDS.phone);
const wordsAround = wordSet(WORDS.around);
const together = new Set(WORDS.together.map(plainHeader));

/** Whether a column of that name could hold the phone numbers. */
export function couldBePhone(header: string): boolean {
  const plain = plainHeader(header);
  if (together.has(plain)) return true;
  const words = plain.split(' ').flatMap((word) => partsOf(word) ?? [word]);
  return (
    words.some((word) => phoneWords.has(word)) && words.every((word) => phoneWords.has(word) || wordsAround.has(word))
  );
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Characters. A longer word is not split, to bound the time. */
const LONGEST_COMPOUND = 60;

/** Splits a word of a script without spaces into known words; undefined if that is not possible. */
function partsOf(word: string): string[] | undefined {
  if (isKnown(word) || word.length > LONGEST_COMPOUND || !WITHOUT_SPACES.test(word)) return undefined;
  /** For each position that known words reach, the words up to there. */
  const ways: (string[] | undefined)[] = [[]];
  for (let end = 1; end <= word.length; end++) {
    for (let begin = 0; begin < end && ways[end] === undefined; begin++) {
      const way = ways[begin];
      const part = word.slice(begin, end);
      if (way !== undefined && isKnown(part)) ways[end] = [...way, part];
    }
  }
  return ways[word.length];
}

function isKnown(word: string): boolean {
  return phoneWords.has(word) || wordsAround.has(word);
}

/**
 * Lower case, without accents, punctuation and invisible characters: `N° de Téléphone` becomes `n de telephone`. `ı` and `ł`
 * become `i` and `l`: they have no accent that can be removed, but people write them so.
 */
export function plainHeader(header: string): string {
  return header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670\u093c\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/ı/g, 'i')
    .replace(/ł/g, 'l')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
