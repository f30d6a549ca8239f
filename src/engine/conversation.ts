/**
 * A phone conversation, made up: how it ends and what was said. The draws of the attempt's key choose the phrases, so
 * the same call always reads the same. A run may need a million of them, hence the plain joining of strings.
 */
import { draw, pick } from './chance.ts';
import { type Ending, type Exchange, type Goal, type Language, PHRASES, type Phrases } from './phrases.ts';

export interface ConversationBrief {
  /** The agent's language code, also with a region: `es-MX`. What is neither Spanish nor Hindi is spoken in English. */
  language: string;
  /** The agent's conversation_goal: free text, may be empty. */
  goal: string;
  /** As `drawnOutcome` has it for the same goal, bits and slot. */
  outcome: string;
  /** The agent's first words; where it is blank, a stock greeting. */
  firstLine: string;
  /** The note for this call, usually an imperative such as `Mention the spring discount`; may be empty. */
  instruction: string;
  /** Seconds. */
  duration: number;
  bits: number;
  /** The first draw that a conversation may use: it takes a few from here on, see SLOT. */
  slot: number;
}

type Outcome = Ending | 'voicemail_left';

/** Which draw decides what, counted from the brief's slot. */
const SLOT = {
  outcome: 0,
  day: 1,
  time: 2,
  opening: 3,
  answer: 4,
  matter: 5,
  reaction: 6,
  proposal: 7,
  share: 8,
  asides: 9,
  questions: 10,
  decision: 11,
  closing: 12,
  goodbye: 13,
  bridge: 14,
};

/** Outcome labels by goal; the weights of a goal add up to 1. */
const OUTCOMES: Record<Goal, readonly (readonly [outcome: Outcome, weight: number])[]> = {
  appointment: [
    ['appointment_scheduled', 0.45],
    ['not_interested', 0.25],
    ['callback_requested', 0.2],
    ['voicemail_left', 0.1],
  ],
  lead: [
    ['lead_qualified', 0.4],
    ['not_interested', 0.3],
    ['callback_requested', 0.2],
    ['voicemail_left', 0.1],
  ],
  payment: [
    ['payment_promised', 0.35],
    ['payment_collected', 0.25],
    ['callback_requested', 0.15],
    ['payment_refused', 0.15],
    ['voicemail_left', 0.1],
  ],
  survey: [
    ['survey_completed', 0.5],
    ['not_interested', 0.3],
    ['callback_requested', 0.1],
    ['voicemail_left', 0.1],
  ],
  reminder: [
    ['reminder_confirmed', 0.7],
    ['callback_requested', 0.15],
    ['voicemail_left', 0.15],
  ],
  other: [
    ['goal_achieved', 0.5],
    ['not_interested', 0.2],
    ['callback_requested', 0.2],
    ['voicemail_left', 0.1],
  ],
};

/** The first goal with one of its words in the agent's wording counts: an appointment reminder is a reminder. */
const GOAL_WORDS: readonly (readonly [Goal, readonly string[]])[] = [
  ['survey', ['survey', 'feedback', 'satisfaction']],
  ['payment', ['payment', 'collect', 'invoice', 'debt']],
  ['reminder', ['remind']],
  ['lead', ['lead', 'qualif', 'sales']],
  ['appointment', ['appointment', 'schedul', 'book', 'meeting']],
];

/** A line of a conversation takes about nine seconds, and no transcript is longer than it is worth reading. */
const SECONDS_PER_LINE = 9;
const FEWEST_LINES = 5;
const MOST_LINES = 14;
/** From here on the agent's matter and its proposal are lines of their own. */
const UNHURRIED_LINES = 7;

const AGENT = '\nAgent: ';
const CUSTOMER = '\nCustomer: ';

/** The outcome label of a completed call, from those of the agent's goal. */
export function drawnOutcome(wording: string, bits: number, slot: number): string {
  let left = draw(bits, slot + SLOT.outcome);
  let drawn: Outcome = 'voicemail_left';
  for (const [outcome, weight] of OUTCOMES[goalOf(wording)]) {
    drawn = outcome;
    left -= weight;
    if (left < 0) break;
  }
  return drawn;
}

/**
 * The transcript of one completed call: `Agent: …` and `Customer: …` lines in turn, labelled in English in every language.
 * A given first line stands there as it is, except that line breaks become spaces.
 */
export function transcribe(brief: ConversationBrief): string {
  const { bits, slot } = brief;
  const language = languageOf(brief.language);
  const goal = goalOf(brief.goal);
  const outcome = brief.outcome as Outcome;
  const phrases = PHRASES[language];
  const matter = matterOf(folded(brief.instruction), language, goal, bits, slot);
  const firstLine = folded(brief.firstLine);
  const opening = `Agent: ${firstLine.trim() === '' ? pick(phrases.greeting, bits, slot + SLOT.opening) : firstLine}`;
  return outcome === 'voicemail_left'
    ? opening + message(phrases, matter, bits, slot)
    : opening + dialogue(phrases, goal, outcome, matter, brief);
}

/** What follows the opening when a machine answers. */
function message({ voicemail }: Phrases, matter: string, bits: number, slot: number): string {
  const missed = pick(voicemail.missed, bits, slot + SLOT.reaction);
  const closing = pick(voicemail.closing, bits, slot + SLOT.closing);
  return `${CUSTOMER}[voicemail] ${pick(voicemail.tone, bits, slot + SLOT.answer)}${AGENT}${missed} ${matter} ${closing}`;
}

/** What follows the opening when a person answers: 4 to 13 lines, as the duration has it. */
function dialogue(
  phrases: Phrases,
  goal: Goal,
  outcome: Ending,
  matter: string,
  { instruction, duration, bits, slot }: ConversationBrief,
): string {
  const lines = Math.min(MOST_LINES, Math.max(FEWEST_LINES, Math.round(duration / SECONDS_PER_LINE)));
  const { questions, proposal } = phrases.goals[goal];
  const { decision, closing } = phrases.endings[outcome];
  const time = pick(phrases.times, bits, slot + SLOT.time);
  const day = Math.floor(draw(bits, slot + SLOT.day) * phrases.days.length);
  const proposedDay = phrases.days[day] as string;
  // Who asks to be called back never names the very time that was just proposed for something else.
  const agreedDay =
    outcome === 'callback_requested' ? (phrases.days[(day + 1) % phrases.days.length] as string) : proposedDay;
  // Who will decline anyway is asked nothing more on the way.
  const declines = outcome === 'not_interested' || outcome === 'payment_refused';
  const unhurried = lines >= UNHURRIED_LINES;
  const exchanges = unhurried ? (lines - UNHURRIED_LINES) >> 1 : 0;
  const asked = declines ? 0 : (exchanges + Math.round(draw(bits, slot + SLOT.share))) >> 1;

  let text = CUSTOMER + pick(phrases.answer, bits, slot + SLOT.answer) + AGENT + matter;
  if (unhurried) {
    text += told(phrases.asides, exchanges - asked, CUSTOMER, AGENT, draw(bits, slot + SLOT.asides));
    text += CUSTOMER + pick(phrases.reaction, bits, slot + SLOT.reaction);
    text += told(questions, asked, AGENT, CUSTOMER, draw(bits, slot + SLOT.questions)) + AGENT;
  } else {
    text += ' ';
  }
  const changesSubject = instruction.trim() !== '' && goal !== 'other' && asked === 0;
  if (changesSubject) text += `${pick(phrases.bridge, bits, slot + SLOT.bridge)} `;
  text += dated(pick(proposal, bits, slot + SLOT.proposal), proposedDay, time);
  text += CUSTOMER + dated(pick(decision, bits, slot + SLOT.decision), agreedDay, time);
  text += AGENT + dated(pick(closing, bits, slot + SLOT.closing), agreedDay, time);
  return lines % 2 === 0 ? text + CUSTOMER + pick(phrases.goodbye, bits, slot + SLOT.goodbye) : text;
}

/** `count` neighbours of a list, from the one that `chance` in [0, 1) points at: so none comes twice. */
function told(exchanges: readonly Exchange[], count: number, first: string, second: string, chance: number): string {
  const start = Math.floor(chance * exchanges.length);
  let text = '';
  for (let index = start; index < start + count; index++) {
    const [line, reply] = exchanges[index % exchanges.length] as Exchange;
    text += first + line + second + reply;
  }
  return text;
}

/** What the call is about, in a sentence of the agent's. */
function matterOf(instruction: string, language: Language, goal: Goal, bits: number, slot: number): string {
  const phrases = PHRASES[language];
  const note = instruction.trim();
  if (note === '') return pick(phrases.goals[goal].purpose, bits, slot + SLOT.matter);
  const { isWoven, text } = worded(note, language);
  return put(pick(isWoven ? phrases.reason : phrases.quotation, bits, slot + SLOT.matter), '{note}', text);
}

interface Wording {
  note: string;
  language: Language;
  /** Whether `text` goes on from a `reason`; otherwise it stands in a `quotation`. */
  isWoven: boolean;
  text: string;
}

let lastNote: Wording = { note: '', language: 'en', isWoven: false, text: '' };

/** The last answer is kept: the contacts of a campaign often share one instruction. */
function worded(note: string, language: Language): Wording {
  if (lastNote.note === note && lastNote.language === language) return lastNote;
  const woven = SEVERAL_SENTENCES.test(note) ? undefined : WEAVE[language](note);
  const stop = FINAL_STOP.test(note) ? '' : DEVANAGARI_END.test(note) ? '।' : '.';
  const text = woven === undefined ? note + stop : woven.replace(FINAL_STOP, '');
  lastNote = { note, language, isWoven: woven !== undefined, text };
  return lastNote;
}

const SEVERAL_SENTENCES = /[.!?;।]\s/;
const FINAL_STOP = /[.!?…।]$/;
const DEVANAGARI_END = /\p{Script=Devanagari}$/u;

/** The instruction as the rest of a `reason`, or undefined where it would not read as that and is quoted instead. */
const WEAVE: Record<Language, (instruction: string) => string | undefined> = {
  en: wovenInEnglish,
  es: wovenInSpanish,
  hi: wovenInHindi,
};

/** First words of instructions that an agent can say of itself: `mention` → `I'm calling to mention`. */
const SAYING = new Set(
  (
    'mention explain confirm check verify discuss share announce introduce present propose suggest point follow find ' +
    'arrange schedule reschedule book apologize apologise recommend describe clarify say'
  ).split(' '),
);
/** The same for instructions about somebody, who then is `you`. */
const TELLING = new Set(
  'ask remind tell invite thank inform notify offer give show let advise warn congratulate'.split(' '),
);
const LISTENER = /^(?:you|them|him|her|(?:the )?(?:customer|client|patient|caller)) /;
/** A name, or the listener in words that cannot become `you` without a change of grammar. */
const SOMEBODY_ELSE = /^you [A-Z]|\b(?:s?he|him|hers?|his|yourself|[Cc]ustomer|[Cc]lient|[Pp]atient|[Cc]aller)\b/;

/** `Ask them whether they have time` → `ask you whether you have time`. */
function wovenInEnglish(instruction: string): string | undefined {
  const space = instruction.indexOf(' ');
  const verb = instruction.slice(0, Math.max(0, space)).toLowerCase();
  let rest = instruction.slice(space + 1);
  if (TELLING.has(verb)) rest = `you ${rest.replace(LISTENER, '')}`;
  else if (!SAYING.has(verb)) return undefined;
  if (SOMEBODY_ELSE.test(rest)) return undefined;
  return `${verb} ${rest.replace(/\bthe(?:y|m)\b/g, 'you').replace(/\btheir\b/g, 'your')}`;
}

const SPANISH_ORDER = /^(mencion|pregunt|confirm|coment|inform|invit|consult|avis|record|present)(?:ar|a|e)(les?)? /i;

/** `Mencione el descuento` → `mencionar el descuento`. */
function wovenInSpanish(instruction: string): string | undefined {
  const order = SPANISH_ORDER.exec(instruction);
  if (order === null || instruction.includes('client')) return undefined;
  return `${order[1]?.toLowerCase()}ar${order[2] === undefined ? '' : 'le'} ${instruction.slice(order[0].length)}`;
}

const HINDI_ORDER = /(?:ें|एँ|एं)[।.]?$/;
const NOT_TO_AAP = /ग्राहक|उन्हें|उनसे|उनक| न | मत /;

/** `छूट के बारे में बताएँ`: the polite order is also the form for what `we` are to do, so it stays as it is. */
function wovenInHindi(instruction: string): string | undefined {
  return HINDI_ORDER.test(instruction) && !NOT_TO_AAP.test(instruction) ? instruction : undefined;
}

function languageOf(code: string): Language {
  if (code.length > 2 && code[2] !== '-' && code[2] !== '_') return 'en';
  const primary = code.slice(0, 2).toLowerCase();
  return primary === 'es' || primary === 'hi' ? primary : 'en';
}

let lastWording = '';
let lastGoal: Goal = 'other';

/** The last answer is kept: a campaign asks for one agent's goal a million times. */
function goalOf(wording: string): Goal {
  if (wording === lastWording) return lastGoal;
  const lower = wording.toLowerCase();
  lastGoal = GOAL_WORDS.find(([, words]) => words.some((word) => lower.includes(word)))?.[0] ?? 'other';
  lastWording = wording;
  return lastGoal;
}

/** On one line: what comes from outside must not start a line of the transcript. */
function folded(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.trim().replace(/[\r\n]+/g, ' ') : text;
}

function dated(line: string, day: string, time: string): string {
  return put(put(line, '{day}', day), '{time}', time);
}

/** `line` with `value` in place of the one `mark`, if it has it. */
function put(line: string, mark: string, value: string): string {
  const at = line.indexOf(mark);
  return at < 0 ? line : line.slice(0, at) + value + line.slice(at + mark.length);
}
