/** Turns the instruction of a call into part of a sentence of the agent's. */
import type { Language } from './phrases.ts';

interface Wording {
  note: string;
  language: Language;
  /** Whether `text` continues a `reason`; otherwise it is placed in a `quotation`. */
  isWoven: boolean;
  text: string;
}

let lastNote: Wording = { note: '', language: 'en', isWoven: false, text: '' };

/** The last answer is cached, because the contacts of a campaign often share one instruction. */
export function worded(note: string, language: Language): Wording {
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

/** The instruction as the end of a `reason`, or undefined if it would not be grammatical and must be quoted. */
const WEAVE: Record<Language, (instruction: string) => string | undefined> = {
  en: wovenInEnglish,
  es: wovenInSpanish,
  hi: wovenInHindi,
};

/** First words of instructions that an agent can use about itself: `mention` → `I'm calling to mention`. */
const SAYING = new Set(
  (
    'mention explain confirm check verify discuss share announce introduce present propose suggest point follow find ' +
    'arrange schedule reschedule book apologize apologise recommend describe clarify say'
  ).split(' '),
);
/** The same for instructions about another person, who becomes `you`. */
const TELLING = new Set(
  'ask remind tell invite thank inform notify offer give show let advise warn congratulate'.split(' '),
);
const LISTENER = /^(?:you|them|him|her|(?:the )?(?:customer|client|patient|caller)) /;
/** A name, or a word for the listener that cannot become `you` without changing the grammar. */
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

/** `छूट के बारे में बताएँ`: the polite imperative is also the form that follows `we`, so it stays unchanged. */
function wovenInHindi(instruction: string): string | undefined {
  return HINDI_ORDER.test(instruction) && !NOT_TO_AAP.test(instruction) ? instruction : undefined;
}
