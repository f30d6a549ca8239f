/** How conversations end, depending on the agent's goal. */
import { draw } from './chance.ts';
import type { Goal, PersonalOutcome } from './phrases.ts';

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
export function goalOf(wording: string): Goal {
  if (wording === lastWording) return lastGoal;
  const lower = wording.toLowerCase();
  lastGoal = GOAL_WORDS.find(([, words]) => words.some((word) => lower.includes(word)))?.[0] ?? 'other';
  lastWording = wording;
  return lastGoal;
}
