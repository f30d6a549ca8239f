/** The values of the flags that are rules of a plan. Commander reports their errors with the flag's name: exit code 2. */
import { InvalidArgumentError } from 'commander';
import { nearest } from '../../../cli/flags/nearest.ts';
import { duration, filled, integerFrom } from '../../../cli/flags/values.ts';
import { RETRY_RESULTS, type RetryResult } from '../../../contract.ts';
import { fromMicros, micros } from '../../../engine/money.ts';
import { MOST_PER_NUMBER, type PlanRules } from '../../../plans/rules/rules.ts';
import { counted } from '../../../text/numbers.ts';
import { SECOND } from '../../../text/units.ts';

export const NEVER = 'never';
const MOST_COUNTED = 10_000;

/** `busy=30m,no_answer=4h,failed=never`: what is not named is never tried again. */
export function retries(text: string): PlanRules['retry'] {
  const delays: PlanRules['retry'] = {};
  const named = new Set<string>();
  for (const part of parts(text)) {
    const at = part.indexOf('=');
    if (at === -1) throw new InvalidArgumentError('It must be like busy=30m,no_answer=4h.');
    const result = retryResult(part.slice(0, at).trim());
    const delay = part.slice(at + 1).trim();
    if (named.has(result)) throw new InvalidArgumentError(`${result} is given twice.`);
    named.add(result);
    if (delay !== NEVER) delays[result] = about(result, () => duration(delay)) * SECOND;
  }
  return delays;
}

/** `3/24h` or `100/day`: a count within a time. */
export function perTime(most: number): (text: string) => { count: number; within: number } {
  return (text) => {
    const at = text.indexOf('/');
    if (at === -1) throw new InvalidArgumentError('It must be a count and a time, like 3/24h or 100/day.');
    const count = countFrom(text.slice(0, at).trim(), most);
    const written = text.slice(at + 1).trim();
    const within = duration(/^\d/.test(written) ? written : `1${written}`) * SECOND;
    if (within === 0) throw new InvalidArgumentError('The time must be above 0, as in 3/24h.');
    return { count, within };
  };
}

export const perNumber = perTime(MOST_PER_NUMBER);
export const perCaller = perTime(Number.MAX_SAFE_INTEGER);

/** `failed=30%/50`: a share of the last attempts. */
export function stopOn(text: string): PlanRules['stopOn'] | typeof NEVER {
  if (text.trim() === NEVER) return NEVER;
  const [, result = '', percent = '', over = ''] = /^([^=]+)=([\d.]+) ?%\/(\d+)$/.exec(text.trim()) ?? [];
  if (result === '') throw new InvalidArgumentError('It must be like failed=30%/50: a share of the last 50 attempts.');
  const share = Number(percent) / 100;
  if (!(share > 0 && share <= 1)) throw new InvalidArgumentError(`${percent}% must be above 0 and at most 100.`);
  return { result: retryResult(result.trim()), share, over: countFrom(over, MOST_COUNTED) };
}

/** Millionths. */
export function budget(text: string): number {
  try {
    const amount = micros(text);
    if (amount > 0) return amount;
  } catch {
    // Reported below, with an example.
  }
  const most = fromMicros(micros('999999999'));
  throw new InvalidArgumentError(`It must be a decimal above 0, up to ${most}, with at most 6 decimals, such as 150.`);
}

/** Milliseconds, at least those of `least` seconds. */
export function milliseconds(least: number): (text: string) => number {
  return (text) => {
    const seconds = duration(text);
    if (seconds >= least) return seconds * SECOND;
    throw new InvalidArgumentError(`It must be at least ${counted(least, 'second')}.`);
  };
}

/** Seconds above 0. */
export function callLength(text: string): number {
  return milliseconds(1)(text) / SECOND;
}

/** `do_not_call,opted_out`. */
export function labels(text: string): string[] {
  return parts(text).map(filled);
}

/** A count inside of a value: what is wrong is said of it, and not of the whole. */
function countFrom(text: string, most: number): number {
  try {
    return integerFrom(1, most)(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(error.message.replace(/^It/, `The count '${text}'`));
  }
}

function retryResult(text: string): RetryResult {
  const result = RETRY_RESULTS.find((name) => name === text);
  if (result !== undefined) return result;
  if (text === 'reached') throw new InvalidArgumentError('reached is the end: nobody who was reached is called again.');
  const meant = nearest(text, RETRY_RESULTS);
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new InvalidArgumentError(`'${text}' is none of the results ${RETRY_RESULTS.join(', ')}.${question}`);
}

function parts(text: string): string[] {
  return filled(text)
    .split(',')
    .map((part) => part.trim());
}

function about<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new InvalidArgumentError(`${what}: ${error.message}`);
    throw error;
  }
}
