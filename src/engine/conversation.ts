/**
 * Invents a phone conversation with a given outcome. The draws of the attempt's key choose the phrases, so the same call always
 * has the same text.
 */
import { draw, pick } from './chance.ts';
import english from './phrases/en.json' with { type: 'json' };
import spanish from './phrases/es.json' with { type: 'json' };
import hindi from './phrases/hi.json' with { type: 'json' };

export interface ConversationBrief {
  /** The agent's language code. */
  language: string;
  /** The agent's conversation_goal: free text, possibly empty. */
  goal: string;
  /** One of the goal's outcomes. */
  outcome: Outcome;
  /** The agent's first words; if blank, a standard greeting is used. */
  firstLine: string;
  /** The instruction for this call, usually an imperative such as `Mention the spring discount`; may be empty. */
  instruction: string;
  /** Seconds. */
  duration: number;
  bits: number;
}

/** Which draw of the key decides what. The lower numbers are for the attempt itself, see `calls.ts`. */
const DRAWS = {
  day: 17,
  time: 18,
  opening: 19,
  answer: 20,
  matter: 21,
  reaction: 22,
  proposal: 23,
  share: 24,
  asides: 25,
  questions: 26,
  decision: 27,
  closing: 28,
  goodbye: 29,
  bridge: 30,
};

/** A line takes about nine seconds; the length is limited so that transcripts stay readable. */
const SECONDS_PER_LINE = 9;
const FEWEST_LINES = 5;
const MOST_LINES = 14;
/** From this many lines on, the reason for the call and the agent's proposal are separate lines. */
const UNHURRIED_LINES = 7;

/** One of several phrases, by the draw for its place. */
type Choose = (phrases: readonly string[], place: keyof typeof DRAWS) => string;

/**
 * The transcript of one completed call: `Agent: …` and `Customer: …` lines alternate, labelled in English in every language. A
 * given first line is kept, except that its line breaks become spaces.
 */
export function transcribe(brief: ConversationBrief): string {
  const phrases = phrasesOf(brief.language);
  const choose: Choose = (alternatives, place) => pick(alternatives, brief.bits, DRAWS[place]);
  const firstLine = onOneLine(brief.firstLine);
  const opening = firstLine.trim() === '' ? choose(phrases.greeting, 'opening') : firstLine;
  const lines = brief.outcome === VOICEMAIL ? message(phrases, brief, choose) : dialogue(phrases, brief, choose);
  // Concatenated, because a run may need a million of them.
  let text = `Agent: ${opening}`;
  for (let at = 0; at < lines.length; at++) text += (at % 2 === 0 ? '\nCustomer: ' : '\nAgent: ') + lines[at];
  return text;
}

/** What follows the opening when an answering machine picks up. */
function message(phrases: Phrases, brief: ConversationBrief, choose: Choose): string[] {
  const { tone, missed, closing } = phrases.voicemail;
  const matter = matterOf(phrases, brief, choose);
  return [
    `[voicemail] ${choose(tone, 'answer')}`,
    `${choose(missed, 'reaction')} ${matter} ${choose(closing, 'closing')}`,
  ];
}

/** What follows the opening when a person answers: 4 to 13 lines, depending on the duration. */
function dialogue(phrases: Phrases, brief: ConversationBrief, choose: Choose): string[] {
  const { bits } = brief;
  const outcome = brief.outcome as Exclude<Outcome, typeof VOICEMAIL>;
  const lines = Math.min(MOST_LINES, Math.max(FEWEST_LINES, Math.round(brief.duration / SECONDS_PER_LINE)));
  const goal = goalOf(brief.goal);
  const { questions, proposal } = phrases.goals[goal];
  const { decision, closing } = phrases.outcomes[outcome];
  const time = choose(phrases.times, 'time');
  const day = Math.floor(draw(bits, DRAWS.day) * phrases.days.length);
  // A customer who wants to be called back never names the time that was just proposed for something else.
  const agreed = outcome === 'callback_requested' ? (day + 1) % phrases.days.length : day;
  const dated = (line: string, on: number) => line.replace('{day}', phrases.days[on] as string).replace('{time}', time);
  // A customer who will decline is not asked any further questions.
  const declines = outcome === 'not_interested' || outcome === 'payment_refused';
  const exchanges = Math.max(0, lines - UNHURRIED_LINES) >> 1;
  const asked = declines ? 0 : (exchanges + Math.round(draw(bits, DRAWS.share))) >> 1;

  const matter = matterOf(phrases, brief, choose);
  const changesSubject = brief.instruction.trim() !== '' && goal !== 'other' && asked === 0;
  const bridge = changesSubject ? `${choose(phrases.bridge, 'bridge')} ` : '';
  const proposed = bridge + dated(choose(proposal, 'proposal'), day);
  const middle =
    lines < UNHURRIED_LINES
      ? [`${matter} ${proposed}`]
      : [
          matter,
          ...spoken(phrases.asides, exchanges - asked, draw(bits, DRAWS.asides)),
          choose(phrases.reaction, 'reaction'),
          ...spoken(questions, asked, draw(bits, DRAWS.questions)),
          proposed,
        ];
  return [
    choose(phrases.answer, 'answer'),
    ...middle,
    dated(choose(decision, 'decision'), agreed),
    dated(choose(closing, 'closing'), agreed),
    ...(lines % 2 === 0 ? [choose(phrases.goodbye, 'goodbye')] : []),
  ];
}

/** The lines of `count` neighbouring exchanges, starting where `position` in [0, 1) points, so that none occurs twice. */
function spoken(exchanges: readonly string[][], count: number, position: number): string[] {
  const start = Math.floor(position * exchanges.length);
  const lines: string[] = [];
  for (let at = start; at < start + count; at++) lines.push(...(exchanges[at % exchanges.length] as string[]));
  return lines;
}

/** The reason for the call, in one of the agent's sentences. */
function matterOf(phrases: Phrases, { instruction, goal }: ConversationBrief, choose: Choose): string {
  const note = onOneLine(instruction).trim();
  if (note === '') return choose(phrases.goals[goalOf(goal)].purpose, 'matter');
  const { orders = {}, reason = [], quotation, stop } = phrases;
  const order = Object.keys(orders).find((beginning) => note.startsWith(beginning)) ?? '';
  const rest = note.slice(order.length);
  const isSaid = order !== '' && ONE_SENTENCE.test(rest) && !SOMEBODY.test(rest);
  const text = isSaid ? orders[order] + rest.replace(/\.$/, '') : FINAL_STOP.test(note) ? note : note + stop;
  return choose(isSaid ? reason : quotation, 'matter').replace('{note}', () => text);
}

const ONE_SENTENCE = /^\p{Ll}[^.!?;]*\.?$/u;
/** Words for the listener, who would have to be addressed instead. */
const SOMEBODY = /\b(?:s?he|him|hers?|his|the(?:y|m|ir)|you|customer|client|patient|caller)\b/i;
const FINAL_STOP = /[.!?…।]$/;

/** Text from outside must not start a new line of the transcript. */
function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.trim().replace(/[\r\n]+/g, ' ') : text;
}

type Goal = keyof typeof english.goals;
/** How a conversation with a person ends: the outcome label of its log entry. */
type PersonalOutcome = keyof typeof english.outcomes;

type Phrases = Omit<typeof english, 'reason' | 'orders'> & {
  reason?: string[];
  /** Beginnings of an instruction, and of the words that then fit into a `reason`; every other instruction is quoted. */
  orders?: Record<string, string>;
};

/**
 * Nobody's gender is known, so no phrase reveals one: in Spanish and Hindi, speakers use no adjective and no verb form that would
 * have to agree with their gender.
 */
const PHRASES = new Map<string, Phrases>(Object.entries({ en: english, es: spanish, hi: hindi }));

/** By a language code, with or without a region: `es-MX`. English for a language that has none. */
export function phrasesOf(code: string): Phrases {
  return PHRASES.get(code) ?? PHRASES.get(code.toLowerCase().replace(/[-_].*/, '')) ?? english;
}

/** A machine took the call. */
export const VOICEMAIL = 'voicemail_left';

export type Outcome = PersonalOutcome | typeof VOICEMAIL;

/** Outcome labels by goal; the weights of a goal add up to 1. */
const WEIGHTS: Record<Goal, Partial<Record<Outcome, number>>> = {
  appointment: { appointment_scheduled: 0.45, not_interested: 0.25, callback_requested: 0.2, voicemail_left: 0.1 },
  lead: { lead_qualified: 0.4, not_interested: 0.3, callback_requested: 0.2, voicemail_left: 0.1 },
  payment: {
    ...{ payment_promised: 0.35, payment_collected: 0.25, callback_requested: 0.15, payment_refused: 0.15 },
    voicemail_left: 0.1,
  },
  survey: { survey_completed: 0.5, not_interested: 0.3, callback_requested: 0.1, voicemail_left: 0.1 },
  reminder: { reminder_confirmed: 0.7, callback_requested: 0.15, voicemail_left: 0.15 },
  other: { goal_achieved: 0.5, not_interested: 0.2, callback_requested: 0.2, voicemail_left: 0.1 },
};

const OUTCOMES = new Map(Object.entries(WEIGHTS).map(([goal, weights]) => [goal, Object.entries(weights)]));

/** The first goal with one of its words in the agent's wording is used: an appointment reminder is a reminder. */
const GOAL_WORDS: readonly (readonly [Goal, readonly string[]])[] = [
  ['survey', ['survey', 'feedback', 'satisfaction']],
  ['payment', ['payment', 'collect', 'invoice', 'debt']],
  ['reminder', ['remind']],
  ['lead', ['lead', 'qualif', 'sales']],
  ['appointment', ['appointment', 'schedul', 'book', 'meeting']],
];

/** The outcome label of a completed call: one of the agent's goal, by one draw of the call's key. */
export function drawnOutcome(wording: string, bits: number, number: number): Outcome {
  let left = draw(bits, number);
  let drawn: string = VOICEMAIL;
  for (const [outcome, weight] of OUTCOMES.get(goalOf(wording)) ?? []) {
    drawn = outcome;
    left -= weight;
    if (left < 0) break;
  }
  return drawn as Outcome;
}

let lastWording = '';
let lastGoal: Goal = 'other';

/** The agent's goal, from its own wording. The last answer is cached: a campaign asks for one agent's goal a million times. */
function goalOf(wording: string): Goal {
  if (wording === lastWording) return lastGoal;
  const lower = wording.toLowerCase();
  lastGoal = GOAL_WORDS.find(([, words]) => words.some((word) => lower.includes(word)))?.[0] ?? 'other';
  lastWording = wording;
  return lastGoal;
}
