/**
 * Asks a person for what the command line left out. Questions go to stderr; if nobody can answer, what is missing is an error.
 */
import { InterruptedError, UsageError } from '../../errors.ts';
import type { Io } from './io.ts';
import type { Choice } from './live-list.ts';
import type { ListQuestion, Question } from './question.ts';

/** What is chosen, or what the text is read as. */
type AnswerTo<Q> = Q extends { choices: () => infer C }
  ? C extends AsyncIterable<Choice<infer T>[]> | Promise<Choice<infer T>[]>
    ? T
    : never
  : Q extends { parse: (text: string) => infer T }
    ? Awaited<T>
    : never;

type Answers<Q> = { [K in keyof Q]: AnswerTo<Q[K]> };

/**
 * The given values, with those that are missing asked for one by one. If nobody can answer, throws a UsageError that names all
 * that is missing at once.
 */
export async function complete<Q extends Record<string, Question<unknown>>>(
  io: Io,
  given: { [K in keyof Q]: Answers<Q>[K] | undefined },
  questions: Q,
): Promise<Answers<Q>> {
  const missing = missingOf(io, given, questions);
  const answers: Record<string, unknown> = { ...given };
  for (const name of missing) answers[name] = await ask(io, questions[name] as Question<unknown>);
  return answers as Answers<Q>;
}

/** What will be asked. If nobody can answer, throws a UsageError that names all that is missing. */
export function missingOf<Q extends Record<string, Question<unknown>>>(
  io: Io,
  given: { [K in keyof Q]: unknown },
  questions: Q,
): string[] {
  const missing = Object.keys(questions).filter((name) => given[name] === undefined);
  if (missing.length === 0 || io.canAsk) return missing;
  const flags = missing.map((name) => questions[name]?.flag);
  throw new UsageError(`Missing: ${flags.join(', ')}.`);
}

/** The same for one value. */
export async function orAsk<Q extends Question<unknown>>(
  io: Io,
  given: AnswerTo<Q> | undefined,
  question: Q,
): Promise<AnswerTo<Q>> {
  return (await complete(io, { given }, { given: question })).given;
}

/** Asks one question. Only if somebody can answer. */
export async function ask<T>(io: Io, question: Question<T>): Promise<T> {
  const { answerTo } = await import('./question.ts');
  // What was said before is read before it is answered.
  await io.endScreen();
  const { value, text, name } = await answerTo(io, question);
  const [flag = question.flag] = /--[a-z-]+/.exec(question.flag) ?? [];
  const isSecret = 'isSecret' in question && question.isSecret === true;
  // A flag that only repeats what is so anyway says nothing.
  const isPreset = flag.startsWith('--') && question.preset !== undefined && text === String(question.preset);
  if (flag !== '' && value !== undefined && !isSecret && !isPreset) io.answers.push({ flag, text, name });
  return value;
}

/** Throws InterruptedError, which says `otherwise`, unless the answer is yes; Enter alone means `preset`. */
export async function requireYes(io: Io, message: string, otherwise: string, preset = false): Promise<void> {
  if (!(await confirm(io, message, preset))) throw new InterruptedError(otherwise);
}

/** Asks for yes or no; Enter alone means `preset`. Only if somebody can answer. */
export async function confirm(io: Io, message: string, preset = false): Promise<boolean> {
  const { askYesNo } = await import('./question.ts');
  await io.endScreen();
  return askYesNo(io, message, preset);
}

/** One of a few names. */
export function askOneOf<const T extends string>(flag: string, message: string, names: readonly T[]): ListQuestion<T> {
  return { flag, message, choices: async () => names.map((name) => ({ name, value: name })) };
}
