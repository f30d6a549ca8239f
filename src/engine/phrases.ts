/**
 * The phrases of agents and customers: `phrases/<language>.json`, checked before a language is first used. Nobody's gender is
 * known, so no phrase reveals one: in Spanish and Hindi, speakers use no adjective and no verb form that would have to agree
 * with their gender.
 */
import * as z from 'zod/mini';
import english from './phrases/en.json' with { type: 'json' };
import spanish from './phrases/es.json' with { type: 'json' };
import hindi from './phrases/hi.json' with { type: 'json' };

const SOURCES = { en: english, es: spanish, hi: hindi };

export type Language = keyof typeof SOURCES;

const GOALS = ['appointment', 'lead', 'payment', 'survey', 'reminder', 'other'] as const;
export type Goal = (typeof GOALS)[number];

/** How a conversation with a person ends: the outcome label of its log entry. */
const OUTCOMES = [
  'appointment_scheduled',
  'lead_qualified',
  'payment_collected',
  'payment_promised',
  'payment_refused',
  'survey_completed',
  'reminder_confirmed',
  'goal_achieved',
  'callback_requested',
  'not_interested',
] as const;
export type PersonalOutcome = (typeof OUTCOMES)[number];

/** A list that is not empty. One schema for the whole list, because one for each phrase would be slow. */
function listOf<T>(isItem: (item: unknown) => boolean, what: string) {
  return z.custom<T[]>((list) => Array.isArray(list) && list.length > 0 && list.every(isItem), `must be ${what}`);
}

/** Alternative phrases that contain no marks except these, each at most once. */
function lines(...marks: string[]) {
  const isLine = (line: unknown) => {
    if (typeof line !== 'string' || !/^\S.*$/.test(line)) return false;
    const found = line.match(/\{[^}]*\}/g) ?? [];
    return new Set(found).size === found.length && found.every((mark) => marks.includes(mark));
  };
  return listOf<string>(isLine, `lines of text with no marks but ${marks.join(', ') || 'none'}`);
}

/** One person's line and the other's reply. */
export type Exchange = [string, string];
const isExchange = (pair: unknown) =>
  Array.isArray(pair) && pair.length === 2 && pair.every((line) => typeof line === 'string');
const exchanges = listOf<Exchange>(isExchange, 'pairs of lines');
const plain = lines();
const timed = lines('{day}', '{time}');

/** One language, complete. */
const phrases = z.strictObject({
  /** The values of `{day}` and `{time}` inside a sentence. */
  days: plain,
  times: plain,
  /** The agent, if no opening line was given. */
  greeting: plain,
  /** The customer's answer to any opening line, whether that is a question or not. */
  answer: plain,
  /** The agent's reason to call, if the instruction fits as its `{note}`; otherwise a `quotation` holds it. */
  reason: lines('{note}'),
  quotation: lines('{note}'),
  /** Leads from the topic of an instruction to an unrelated proposal. */
  bridge: plain,
  /** The customer's reaction to the reason for the call. */
  reaction: plain,
  /** The customer changes the subject, and the agent replies. */
  asides: exchanges,
  /** For calls without an instruction: the reason for the call, the agent's questions, and its proposal. */
  goals: z.record(z.enum(GOALS), z.strictObject({ purpose: plain, questions: exchanges, proposal: timed })),
  /** The customer's decision and the agent's goodbye. */
  outcomes: z.record(z.enum(OUTCOMES), z.strictObject({ decision: timed, closing: timed })),
  /** The customer's last word. */
  goodbye: plain,
  voicemail: z.strictObject({ tone: plain, missed: plain, closing: plain }),
});
export type Phrases = z.output<typeof phrases>;

/** Throws if a phrase is missing, or one is never used. */
export function checkedPhrases(source: unknown): Phrases {
  return phrases.parse(source);
}

const checked = new Map<Language, Phrases>();

/** The phrases of a language, checked when they are first used. */
export function phrasesOf(language: Language): Phrases {
  const known = checked.get(language);
  if (known !== undefined) return known;
  const loaded = checkedPhrases(SOURCES[language]);
  checked.set(language, loaded);
  return loaded;
}
