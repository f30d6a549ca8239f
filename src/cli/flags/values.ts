/** Parsers for the values of flags and arguments. Commander reports their errors with the flag's name: exit code 2. */
import { InvalidArgumentError } from 'commander';
import { parseInteger } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { durationMeant, parseDuration } from '../../text/duration.ts';
import { folded } from '../../text/spelling.ts';
import { SECOND } from '../../text/units.ts';
import { parseBaseUrl } from '../../text/url.ts';
import { nearest } from './nearest.ts';

/** An integer between two bounds, both included. */
export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = parseInteger(text);
    // Minus zero is not accepted.
    if (value !== undefined && !text.startsWith('-') && value >= minimum && value <= maximum) return value;
    if (/^\d{16,}$/.test(text))
      throw new InvalidArgumentError(`It must be an integer, at most ${Number.MAX_SAFE_INTEGER}.`);
    const bounds = maximum === Number.MAX_SAFE_INTEGER ? `${minimum} or more` : `${minimum} to ${maximum}`;
    // `1,000` is 1 in some countries, so it is not read as 1000, but named.
    const meant = /^\d{1,3}([,.'_ ]\d{3})+$/.test(text) ? ` Did you mean ${text.replace(/\D/g, '')}?` : '';
    throw new InvalidArgumentError(`It must be an integer, ${bounds}.${meant}`);
  };
}

export const identifier = integerFrom(1);

/** A number as somebody writes it, still to be read: which one is meant may depend on the country. */
export const writtenNumber = textLike(/\d/, 'It is not a phone number: write it like +14155550100.');

export const filled = textLike(/\S/, 'It must not be empty.');

function textLike(pattern: RegExp, otherwise: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(otherwise);
  };
}

/** The same for an argument. */
export function numberArgument(text: string): string {
  if (/\d/.test(text)) return text;
  throw new UsageError(`'${text}' is not a phone number: write it like +14155550100.`);
}

/** How a duration can be written, for help and messages. */
export const DURATIONS = '90, 90s, 15m, 2h, 3d or 1w';

/** Seconds. */
export function duration(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  const meant = durationMeant(text);
  throw new InvalidArgumentError(`It must be a duration: ${DURATIONS}.${meant === undefined ? '' : ` ${meant}`}`);
}

/** The longest delay of a timer in milliseconds: with a longer one, it fires at once. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** Milliseconds; 0 is allowed. */
export const wait = durationOfTimer(0, 'below 24 days');

/** Milliseconds; 0 is not allowed. */
export const timeout = durationOfTimer(1, 'above 0 and below 24 days');

function durationOfTimer(least: number, bounds: string): (text: string) => number {
  return (text) => {
    const milliseconds = duration(text) * SECOND;
    if (milliseconds >= least && milliseconds <= LONGEST_WAIT) return milliseconds;
    throw new InvalidArgumentError(`It must be a duration ${bounds}, like 30s.`);
  };
}

/** A share of a whole, as a decimal from 0 to 1. */
export function share(text: string): number {
  const value = /^(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 1) return value;
  throw new InvalidArgumentError('It must be a decimal from 0 to 1, such as 0.62.');
}

const BYTES: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** Bytes, of a text such as 500MB. */
export function size(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmg]?)b?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * (BYTES[unit.toLowerCase()] ?? Number.NaN));
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('It must be a size such as 500MB, 1.5GB or 900000, in bytes.');
}

/** Two letters; whether the country exists is checked when numbers are read. */
export function country(text: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError('It must be an ISO code of two letters, such as DE.');
}

export function baseUrl(text: string): URL {
  try {
    return parseBaseUrl(text, 'It');
  } catch (error) {
    throw new InvalidArgumentError((error as UsageError).message);
  }
}

/** What a parser says about its values, for completion. */
export interface Described {
  /** All values that it takes; undefined if they cannot be listed. */
  choices?: readonly string[] | undefined;
  /** Whether the flag may be given several times. */
  isRepeatable?: boolean;
}

export function oneOf<const T extends string>(choices: readonly T[]): ((text: string) => T) & Described {
  const read = (text: string): T => {
    const choice = choices.find((name) => name === text);
    if (choice !== undefined) return choice;
    const meant = nearest(text, choices);
    const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.${question}`);
  };
  return Object.assign(read, { choices });
}

/** `a,b,c`, with optional spaces around the names. */
export function names(text: string): string[] {
  return filled(text)
    .split(',')
    .map((name) => name.trim());
}

/** Words of an open list, in any spelling. */
export function words(text: string): string[] {
  const found = names(text).filter((name) => name !== '');
  if (found.length > 0) return found;
  throw new InvalidArgumentError('It must be a word, or several with commas between them.');
}

/** A flag that may be given several times. */
export function repeated<T>(
  parse: ((text: string) => T) & Described,
): ((text: string, before: T[] | undefined) => T[]) & Described {
  const read = (text: string, before: T[] | undefined): T[] => [...(before ?? []), parse(text)];
  return Object.assign(read, { choices: parse.choices, isRepeatable: true });
}

/** As it is written, what it does, and how its value is read; without a reader it takes none. */
export type Flag = readonly [flags: string, help: string, read?: (text: string, before: never) => unknown];
/** Each by the name of its option. */
export type FlagTable = Readonly<Record<string, Flag>>;

export type OptionsOf<T extends FlagTable> = {
  [K in keyof T]?: T[K] extends readonly [string, string, (text: string, before: never) => infer V] ? V : true;
};

/** `busy,no_answer`, in any spelling that a table shows. `former`: what other words stand for, which are named nowhere. */
export function listOf<const T extends string>(
  choices: readonly T[],
  former: Readonly<Record<string, T>>,
): ((text: string) => T[]) & Described {
  const known = new Map([...Object.entries(former), ...choices.map((name) => [name, name] as const)]);
  const bySpelling = new Map([...known].map(([name, choice]) => [folded(name), choice]));
  const one = oneOf(choices);
  const read = (text: string): T[] => [
    ...new Set(names(text).map((name) => bySpelling.get(folded(name)) ?? one(name))),
  ];
  return Object.assign(read, { choices });
}
