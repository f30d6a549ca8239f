/**
 * Invents a phone conversation with a given outcome. The draws of the attempt's key choose the phrases, so the same call always
 * has the same text. A run may need a million of them, which is why strings are simply concatenated.
 */
import { draw, pick } from './chance.ts';
import { worded } from './instruction.ts';
import { goalOf, type Outcome, VOICEMAIL } from './outcomes.ts';
import { type Exchange, type Goal, type Language, type PersonalOutcome, type Phrases, phrasesOf } from './phrases.ts';

export interface ConversationBrief {
  /**
   * The agent's language code, with or without a region: `es-MX`. For languages other than Spanish and Hindi, English is used.
   */
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
  /** The first draw that a conversation may use; it uses several from here on, see DRAWS. */
  firstDraw: number;
}

/** Which draw decides what, counted from `firstDraw`. */
const DRAWS = {
  day: 0,
  time: 1,
  opening: 2,
  answer: 3,
  matter: 4,
  reaction: 5,
  proposal: 6,
  share: 7,
  asides: 8,
  questions: 9,
  decision: 10,
  closing: 11,
  goodbye: 12,
  bridge: 13,
};

/** A line takes about nine seconds; the length is limited so that transcripts stay readable. */
const SECONDS_PER_LINE = 9;
const FEWEST_LINES = 5;
const MOST_LINES = 14;
/** From this many lines on, the reason for the call and the agent's proposal are separate lines. */
const UNHURRIED_LINES = 7;

const AGENT = '\nAgent: ';
const CUSTOMER = '\nCustomer: ';

/**
 * The transcript of one completed call: `Agent: …` and `Customer: …` lines alternate, labelled in English in every language. A
 * given first line is kept, except that its line breaks become spaces.
 */
export function transcribe(brief: ConversationBrief): string {
  const { bits, firstDraw, outcome } = brief;
  const language = languageOf(brief.language);
  const goal = goalOf(brief.goal);

  const phrases = phrasesOf(language);
  const matter = matterOf(folded(brief.instruction), language, goal, bits, firstDraw);
  const firstLine = folded(brief.firstLine);
  const opening = `Agent: ${firstLine.trim() === '' ? pick(phrases.greeting, bits, firstDraw + DRAWS.opening) : firstLine}`;
  return outcome === VOICEMAIL
    ? opening + message(phrases, matter, bits, firstDraw)
    : opening + dialogue(phrases, goal, outcome, matter, brief);
}

/** What follows the opening when an answering machine picks up. */
function message({ voicemail }: Phrases, matter: string, bits: number, firstDraw: number): string {
  const missed = pick(voicemail.missed, bits, firstDraw + DRAWS.reaction);
  const closing = pick(voicemail.closing, bits, firstDraw + DRAWS.closing);
  return `${CUSTOMER}[voicemail] ${pick(voicemail.tone, bits, firstDraw + DRAWS.answer)}${AGENT}${missed} ${matter} ${closing}`;
}

/** What follows the opening when a person answers: 4 to 13 lines, depending on the duration. */
function dialogue(
  phrases: Phrases,
  goal: Goal,
  outcome: PersonalOutcome,
  matter: string,
  { instruction, duration, bits, firstDraw }: ConversationBrief,
): string {
  const lines = Math.min(MOST_LINES, Math.max(FEWEST_LINES, Math.round(duration / SECONDS_PER_LINE)));
  const { questions, proposal } = phrases.goals[goal];
  const { decision, closing } = phrases.outcomes[outcome];
  const time = pick(phrases.times, bits, firstDraw + DRAWS.time);
  const day = Math.floor(draw(bits, firstDraw + DRAWS.day) * phrases.days.length);
  const proposedDay = phrases.days[day] as string;
  // A customer who wants to be called back never names the time that was just proposed for something else.
  const agreedDay =
    outcome === 'callback_requested' ? (phrases.days[(day + 1) % phrases.days.length] as string) : proposedDay;
  // A customer who will decline is not asked any further questions.
  const declines = outcome === 'not_interested' || outcome === 'payment_refused';
  const unhurried = lines >= UNHURRIED_LINES;
  const exchanges = unhurried ? (lines - UNHURRIED_LINES) >> 1 : 0;
  const asked = declines ? 0 : (exchanges + Math.round(draw(bits, firstDraw + DRAWS.share))) >> 1;

  let text = CUSTOMER + pick(phrases.answer, bits, firstDraw + DRAWS.answer) + AGENT + matter;
  if (unhurried) {
    text += spoken(phrases.asides, exchanges - asked, CUSTOMER, AGENT, draw(bits, firstDraw + DRAWS.asides));
    text += CUSTOMER + pick(phrases.reaction, bits, firstDraw + DRAWS.reaction);
    text += spoken(questions, asked, AGENT, CUSTOMER, draw(bits, firstDraw + DRAWS.questions)) + AGENT;
  } else {
    text += ' ';
  }
  const changesSubject = instruction.trim() !== '' && goal !== 'other' && asked === 0;
  if (changesSubject) text += `${pick(phrases.bridge, bits, firstDraw + DRAWS.bridge)} `;
  text += dated(pick(proposal, bits, firstDraw + DRAWS.proposal), proposedDay, time);
  text += CUSTOMER + dated(pick(decision, bits, firstDraw + DRAWS.decision), agreedDay, time);
  text += AGENT + dated(pick(closing, bits, firstDraw + DRAWS.closing), agreedDay, time);
  return lines % 2 === 0 ? text + CUSTOMER + pick(phrases.goodbye, bits, firstDraw + DRAWS.goodbye) : text;
}

/** `count` neighbouring items of a list, starting where `position` in [0, 1) points, so that none occurs twice. */
function spoken(
  exchanges: readonly Exchange[],
  count: number,
  first: string,
  second: string,
  position: number,
): string {
  const start = Math.floor(position * exchanges.length);
  let text = '';
  for (let index = start; index < start + count; index++) {
    const [line, reply] = exchanges[index % exchanges.length] as Exchange;
    text += first + line + second + reply;
  }
  return text;
}

/** The reason for the call, in one of the agent's sentences. */
function matterOf(instruction: string, language: Language, goal: Goal, bits: number, firstDraw: number): string {
  const phrases = phrasesOf(language);
  const note = instruction.trim();
  if (note === '') return pick(phrases.goals[goal].purpose, bits, firstDraw + DRAWS.matter);
  const { isWoven, text } = worded(note, language);
  return put(pick(isWoven ? phrases.reason : phrases.quotation, bits, firstDraw + DRAWS.matter), '{note}', text);
}

function languageOf(code: string): Language {
  if (code.length > 2 && code[2] !== '-' && code[2] !== '_') return 'en';
  const primary = code.slice(0, 2).toLowerCase();
  return primary === 'es' || primary === 'hi' ? primary : 'en';
}

/** On one line, because text from outside must not start a new line of the transcript. */
function folded(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.trim().replace(/[\r\n]+/g, ' ') : text;
}

function dated(line: string, day: string, time: string): string {
  return put(put(line, '{day}', day), '{time}', time);
}

/** `line` with its `mark`, if it has one, replaced by `value`. */
function put(line: string, mark: string, value: string): string {
  const at = line.indexOf(mark);
  return at < 0 ? line : line.slice(0, at) + value + line.slice(at + mark.length);
}
