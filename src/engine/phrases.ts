/**
 * The phrases of agents and customers: `phrases/<language>.json`. Nobody's gender is known, so no phrase reveals one: in Spanish
 * and Hindi, speakers use no adjective and no verb form that would have to agree with their gender.
 */
import english from './phrases/en.json' with { type: 'json' };
import spanish from './phrases/es.json' with { type: 'json' };
import hindi from './phrases/hi.json' with { type: 'json' };

export type Goal = keyof typeof english.goals;
/** How a conversation with a person ends: the outcome label of its log entry. */
export type PersonalOutcome = keyof typeof english.outcomes;

/** Beginnings of an instruction, and of the words that then fit into a `reason`; every other instruction is quoted. */
type Orders = Record<string, string>;
export type Phrases = Omit<typeof english, 'reason' | 'orders'> & { reason?: string[]; orders?: Orders };

const PHRASES = new Map<string, Phrases>([
  ['en', english],
  ['es', spanish],
  ['hi', hindi],
]);

/** By a language code, with or without a region: `es-MX`. English for a language that has none. */
export function phrasesOf(code: string): Phrases {
  return PHRASES.get(code) ?? PHRASES.get(code.toLowerCase().replace(/[-_].*/, '')) ?? english;
}
