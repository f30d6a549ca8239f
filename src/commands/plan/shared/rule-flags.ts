/** The flags of `plan create` that are rules of the plan, and the rules that they mean. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { nearest } from '../../../cli/flags/nearest.ts';
import type { PlainCommand } from '../../../cli/flags/plain-command.ts';
import { duration, filled, integerFrom, names, type OptionsOf } from '../../../cli/flags/values.ts';
import type { Context } from '../../../context.ts';
import { RETRY_RESULTS, type RetryResult } from '../../../contract.ts';
import { fromMicros, micros } from '../../../engine/money.ts';
import { InputError, UsageError } from '../../../errors.ts';
import { costOf } from '../../../plans/rules/capacity.ts';
import type { Place } from '../../../plans/rules/plan.ts';
import { DEFAULTS, MOST_PER_NUMBER, type PlanRules, ZONE_OF_CONTACT } from '../../../plans/rules/rules.ts';
import { countriesOfNobody, parseSkipDates } from '../../../plans/rules/skip-dates.ts';
import { withFileErrors } from '../../../storage/files/file-system.ts';
import { writeDuration } from '../../../text/duration.ts';
import { counted, plural } from '../../../text/numbers.ts';
import { canonicalZone, parseTime } from '../../../text/time.ts';
import { DAY, SECOND } from '../../../text/units.ts';
import type { ContactOptions } from '../../shared/contacts.ts';
import { pricePerMinute } from '../../shared/flags.ts';

/** The records of contacts count attempts in a byte. */
const MOST_ATTEMPTS = 100;
/** Milliseconds: a wave that lasts a day is no wave any more. */
const LONGEST_WAVE = DAY;

const { retry, stopOn: breaker } = DEFAULTS;
const byDefault = (milliseconds: number) => `(default ${writeDuration(milliseconds / SECOND)})`;

export const WHEN = {
  window: ['--window <hours>', 'local hours of calls: 09:00-20:00, or by days, each like mon-fri=09:00-20:00', filled],
  zone: ['--zone <name>', "whose hours: each contact's own (contact, the default), or those of an IANA zone", filled],
  skipDates: [
    '--skip-dates <file>',
    'days without calls, read once: a line each, such as 2026-12-25, or 2026-12-25 DE',
    filled,
  ],
  start: ['--start <time>', 'nobody is called before (default now): ISO 8601, "tomorrow 09:00", or 2h', filled],
  end: ['--end <time>', 'nobody is called after', filled],
  timezone: ['--timezone <name>', "IANA zone of a --start or --end without an offset (default: the profile's)", filled],
} as const;

const RETRIES = Object.entries(retry).map(([result, after]) => `${result}=${writeDuration(after / SECOND)}`);
export const HOW_OFTEN = {
  callsPerHour: ['--calls-per-hour <n>', `pace of the plan (default ${DEFAULTS.callsPerHour})`, integerFrom(1)],
  wave: [
    '--wave <duration>',
    `longest wave: also how long a stop can take ${byDefault(DEFAULTS.wave)}`,
    milliseconds(60),
  ],
  maxAttempts: [
    '--max-attempts <n>',
    `attempts for each contact (default ${DEFAULTS.maxAttempts})`,
    integerFrom(1, MOST_ATTEMPTS),
  ],
  retry: [
    '--retry <results>',
    `what is tried again, and after how long (default ${RETRIES.join(', ')}); other results never are`,
    retries,
  ],
  maxPerNumber: [
    '--max-per-number <n/time>',
    'most calls of a number, by anybody known here, such as 3/24h',
    perTime(MOST_PER_NUMBER),
  ],
  minGap: [
    '--min-gap <duration>',
    `between two calls of a number, by anybody known here ${byDefault(DEFAULTS.minGap)}`,
    milliseconds(0),
  ],
  fromCap: ['--from-cap <n/time>', 'most calls of this plan from each --from, such as 100/day', perTime()],
} as const;

export const WHEN_TO_STOP = {
  optOut: [
    '--opt-out <outcomes>',
    `further outcomes after which nothing here calls the number any more, besides ${DEFAULTS.optOut.join(' and ')}`,
    (text: string) => names(text).map(filled),
  ],
  budget: ['--budget <amount>', 'no wave that could pass it, if every call were answered; needs a price', budget],
  pricePerMinute: ['--price-per-minute <amount>', 'price of a started minute', pricePerMinute],
  expectedLongest: [
    '--expected-longest <duration>',
    `longest call to expect (default ${writeDuration(DEFAULTS.longest)}); a longer one that was seen counts`,
    (text: string) => milliseconds(1)(text) / SECOND,
  ],
  stopOn: [
    '--stop-on <share>',
    `stop at such a share of the last attempts (default ${breaker.result}=${breaker.share * 100}%/${breaker.over}), or never`,
    stopOn,
  ],
  canary: ['--canary <n>', 'the first wave has n contacts; then the plan waits for plan approve', integerFrom(1)],
  lookFor: [
    '--look-for <duration>',
    `how long after the calls of --canary or --probe others are waited for, before the verdict ${byDefault(DEFAULTS.firstLook)}`,
    milliseconds(60),
  ],
} as const;

export type RuleOptions = OptionsOf<typeof WHEN & typeof HOW_OFTEN & typeof WHEN_TO_STOP>;

export function addRuleFlags(command: PlainCommand): PlainCommand {
  return command
    .takesFlags(WHEN, 'When')
    .takesFlags(HOW_OFTEN, 'How often')
    .takesFlags(WHEN_TO_STOP, 'When to stop')
    .earlier('--longest <duration>', '--expected-longest');
}

/**
 * Throws UsageError or InputError, with the flag and what to write instead, for rules that contradict each other. `now`: in
 * milliseconds since the epoch, by the clock that places the calls.
 */
export async function rulesFrom(
  options: RuleOptions & Pick<ContactOptions, 'exclude'>,
  { window, excludeCountry }: Pick<PlanRules, 'window' | 'excludeCountry'>,
  now: number,
): Promise<PlanRules> {
  const { zone = ZONE_OF_CONTACT, skipDates } = options;
  const { expectedLongest: longest = DEFAULTS.longest } = options;
  const { callsPerHour, wave, maxAttempts, retry, minGap, ...more } = { ...DEFAULTS, ...options };
  const { maxPerNumber, budget, pricePerMinute, canary, fromCap } = more;
  requireOneCall(options);
  requireShortWaves({ wave });
  return {
    ...{ callsPerHour, wave, maxAttempts, retry, minGap, longest },
    ...{ maxPerNumber, budget, pricePerMinute, canary, fromCap },
    ...{ ...(await period(options, now)), window, excludeCountry },
    zone: zone === ZONE_OF_CONTACT ? zone : canonicalZone(zone, '--zone'),
    skipDates: skipDates === undefined ? [] : readSkipDates(skipDates),
    optOut: [...new Set([...DEFAULTS.optOut, ...(options.optOut ?? [])])],
    stopOn: options.stopOn === NEVER ? undefined : (options.stopOn ?? breaker),
    ...(canary !== undefined && { firstLook: options.lookFor ?? DEFAULTS.firstLook }),
    exclude: listPaths(options.exclude),
  };
}

/** They are read again before each wave, from whatever folder that is run. */
export function listPaths(given: readonly string[] = []): string[] {
  if (given.includes('-')) throw new UsageError('--exclude - cannot be read again before each wave: name a file.');
  return given.map((path) => resolve(path));
}

/** Throws UsageError if a canary would be everybody. */
export function requireOthers({ canary }: Pick<PlanRules, 'canary'>, contacts: number): void {
  if (canary === undefined || canary < contacts) return;
  const there = `there ${plural(contacts, 'is', 'are')} only ${counted(contacts, 'contact')}`;
  throw new UsageError(`--canary ${canary}: ${there}. Nothing was written.`, {
    hint: 'Give a smaller number, or leave --canary out.',
  });
}

export function readSkipDates(path: string): PlanRules['skipDates'] {
  const text = withFileErrors('read', path, () => readFileSync(path, 'utf8'));
  return parseSkipDates(text, path);
}

/** A day of a country where nobody is may stand in the file by mistake. */
export function warnOfSkipDates(path: string | undefined, rules: PlanRules, places: readonly Place[], { io }: Context) {
  const countries = countriesOfNobody(rules, places);
  if (path !== undefined && countries.length > 0)
    io.warn(`${path}: no contact is in ${countries.join(', ')}: those days hold for nobody.`);
}

export function requireShortWaves({ wave }: Pick<PlanRules, 'wave'>): void {
  if (wave > LONGEST_WAVE) throw new UsageError('--wave must be at most 1d: a stop would take as long.');
}

type Money = { [Rule in 'budget' | 'pricePerMinute' | 'expectedLongest']?: number | undefined };

/** Throws UsageError if no wave could ever be sent: whoever is called first may be on the phone for the longest time. */
export function requireOneCall({
  budget: most,
  pricePerMinute: price,
  expectedLongest: longest = DEFAULTS.longest,
}: Money): void {
  if (most === undefined) return;
  if (price === undefined || price <= 0) {
    const why = price === 0 ? '--price-per-minute 0 would never use it up' : 'what a call costs is not known';
    throw new UsageError(`--budget needs --price-per-minute: ${why}.`, {
      hint: 'Add the price of a started minute, such as --price-per-minute 0.10.',
    });
  }
  const call = costOf(longest, { pricePerMinute: price });
  if (call <= most) return;
  const one = `one of --expected-longest ${writeDuration(longest)} may cost ${fromMicros(call)}`;
  throw new UsageError(`--budget ${fromMicros(most)} allows no call: ${one}. Nothing was written.`, {
    hint: 'Raise --budget, or lower --expected-longest to what your calls last at most.',
  });
}

type Period = { [Rule in 'start' | 'end' | 'timezone']?: string | undefined };

export async function period({ start, end, timezone }: Period, now: number) {
  const read = async (text: string | undefined, flag: string) => {
    if (text === undefined) return undefined;
    const instant = await parseTime(text, { flag, now, direction: 'ahead', zone: timezone });
    if (instant >= now) return instant;
    throw new InputError(`${flag} ${text} has passed.`, { hint: `Leave ${flag} out, or write a later time.` });
  };
  const [from, until] = [await read(start, '--start'), await read(end, '--end')];
  if (until !== undefined && until <= (from ?? now)) {
    const before = start === undefined ? 'now' : `--start ${start}`;
    throw new InputError(`--end ${end} is not after ${before}: nobody could be called.`);
  }
  return { start: from, end: until };
}

// The values of the flags: commander reports their errors with the name of the flag. --------------------------------------

export const NEVER = 'never';
const MOST_COUNTED = 10_000;

/** `busy=30m,no_answer=4h,failed=never`: what is not named is never retried. */
function retries(text: string): PlanRules['retry'] {
  const delays: PlanRules['retry'] = {};
  const named = new Set<string>();
  for (const part of names(text)) {
    const [name = '', delay] = splitAt(part, '=');
    if (delay === undefined) throw new InvalidArgumentError('It must be like busy=30m,no_answer=4h.');
    const result = retryResult(name);
    if (named.has(result)) throw new InvalidArgumentError(`${result} is given twice.`);
    named.add(result);
    if (delay !== NEVER) delays[result] = SECOND * partly((message) => `${result}: ${message}`, duration, delay);
  }
  return delays;
}

/** `3/24h` or `100/day`: a count within a time. */
function perTime(most?: number): (text: string) => { count: number; within: number } {
  return (text) => {
    const [written = '', time] = splitAt(text, '/');
    if (time === undefined) throw new InvalidArgumentError('It must be a count and a time, like 3/24h or 100/day.');
    const count = counting(written, most);
    const within = duration(/^\d/.test(time) ? time : `1${time}`) * SECOND;
    if (within === 0) throw new InvalidArgumentError('The time must be above 0, as in 3/24h.');
    return { count, within };
  };
}

/** `failed=30%/50`: a share of the last attempts. */
function stopOn(text: string): PlanRules['stopOn'] | typeof NEVER {
  if (text.trim() === NEVER) return NEVER;
  const [, result = '', percent = '', over = ''] = /^([^=]+)=([\d.]+) ?%\/(\d+)$/.exec(text.trim()) ?? [];
  if (result === '') throw new InvalidArgumentError('It must be like failed=30%/50: a share of the last 50 attempts.');
  const share = Number(percent) / 100;
  if (!(share > 0 && share <= 1)) throw new InvalidArgumentError(`${percent}% must be above 0 and at most 100.`);
  return { result: retryResult(result.trim()), share, over: counting(over, MOST_COUNTED) };
}

/** Millionths. */
function budget(text: string): number {
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
function milliseconds(least: number): (text: string) => number {
  return (text) => {
    const seconds = duration(text);
    if (seconds >= least) return seconds * SECOND;
    throw new InvalidArgumentError(`It must be at least ${counted(least, 'second')}.`);
  };
}

function retryResult(text: string): RetryResult {
  const result = RETRY_RESULTS.find((name) => name === text);
  if (result !== undefined) return result;
  if (text === 'reached') throw new InvalidArgumentError('reached is the end: nobody who was reached is called again.');
  const meant = nearest(text, RETRY_RESULTS);
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new InvalidArgumentError(`'${text}' is none of the results ${RETRY_RESULTS.join(', ')}.${question}`);
}

/** A count inside of a value. */
function counting(text: string, most?: number): number {
  return partly((message) => message.replace(/^It/, `The count '${text}'`), integerFrom(1, most), text);
}

/** What is wrong with a part of a value is said of that part. */
function partly<T>(inWords: (message: string) => string, read: (text: string) => T, text: string): T {
  try {
    return read(text);
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new InvalidArgumentError(inWords(error.message)) : error;
  }
}

/** Before and after the first `sign`; the second is missing where there is none. */
function splitAt(text: string, sign: string): string[] {
  const [before = '', ...after] = text.split(sign);
  return [before, ...(after.length === 0 ? [] : [after.join(sign)])].map((part) => part.trim());
}
