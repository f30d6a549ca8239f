/** Says of words that nothing matched what there is instead. */
import { labelKey, NONE } from '../../calls/select.ts';
import { either } from '../../cli/flags/global.ts';
import { nearest } from '../../cli/flags/nearest.ts';
import { labelInWords } from '../../cli/terminal/words.ts';
import { CALL_STATUSES, CONTACT_STATES, LAST_RESULTS } from '../../contract.ts';

/** Labels of a kind that are remembered, and that are named: a service may make one up for each call. */
const MOST_SEEN = 1000;
const MOST_NAMED = 12;
/** Words that somebody means as they are, whether anything has them or not. */
const USUAL: ReadonlySet<string> = new Set([...CONTACT_STATES, ...CALL_STATUSES, ...LAST_RESULTS].map(labelKey));

/** What labels the calls or contacts had that were looked at, for words that none of them had. */
export class SeenLabels {
  readonly #who: 'call' | 'contact';
  readonly #wanted: [noun: string, words: readonly string[]][];
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #redact: (text: string) => string;

  /** `wanted`: the words that were asked for, by what they are words of. */
  constructor(
    who: 'call' | 'contact',
    wanted: Readonly<Record<string, readonly string[] | undefined>>,
    redact: (text: string) => string,
  ) {
    this.#who = who;
    this.#redact = redact;
    this.#wanted = Object.entries(wanted).flatMap(([noun, words]) => (words === undefined ? [] : [[noun, words]]));
    for (const [noun] of this.#wanted) this.#counts.set(noun, new Map());
  }

  add(labels: Readonly<Record<string, string>>): void {
    for (const [noun, counts] of this.#counts) {
      const label = labels[noun] ?? '';
      if (counts.has(label) || counts.size < MOST_SEEN) counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  }

  inWords(): string[] {
    return this.#wanted.flatMap(([noun, words]) => this.#ofNoun(noun, words));
  }

  #ofNoun(noun: string, words: readonly string[]): string[] {
    const counts = [...(this.#counts.get(noun) ?? [])].sort(([, one], [, other]) => other - one);
    const known = new Set(counts.map(([label]) => labelKey(label)));
    // Commas may be part of one label.
    const unknown = known.has(labelKey(words.join())) ? [] : words.filter((word) => !known.has(labelKey(word)));
    if (unknown.length === 0 || counts.length === 0) return [];
    const shown = (label: string) => (label === '' ? NONE : labelInWords(this.#redact(label)));
    const none = `No ${this.#who} has ${noun} ${either(unknown)}`;
    const hint = this.#hint(unknown, counts);
    if (unknown.length < words.length) return hint === '' ? [] : [`${none}.${hint}`];
    const named = counts.slice(0, MOST_NAMED).map(([label, count]) => `${shown(label)} (${count})`);
    const more = counts.length > MOST_NAMED ? `, and ${counts.length - MOST_NAMED} more` : '';
    return [`${none}; there are: ${named.join(', ')}${more}.${hint}`];
  }

  #hint(unknown: readonly string[], counts: readonly (readonly [string, number])[]): string {
    const labels = counts.map(([label]) => label);
    const meant = unknown.flatMap((word) => (USUAL.has(labelKey(word)) ? [] : (nearest(word, labels) ?? [])));
    return meant.length === 0
      ? ''
      : ` Did you mean ${[...new Set(meant)].map((label) => labelInWords(this.#redact(label))).join(', ')}?`;
  }
}
