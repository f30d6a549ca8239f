/** The flags of `plan create` that are rules of the plan, and the rules that they mean. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { filled, integerFrom } from '../../../cli/flags/values.ts';
import { fromMicros } from '../../../engine/money.ts';
import { InputError, UsageError } from '../../../errors.ts';
import { costOf } from '../../../plans/rules/money.ts';
import { DEFAULTS, type PlanRules, type WeeklyHours, ZONE_OF_CONTACT } from '../../../plans/rules/rules.ts';
import { parseSkipDates } from '../../../plans/rules/skip-dates.ts';
import { withFileErrors } from '../../../storage/files/file-error.ts';
import { writeDuration } from '../../../text/duration.ts';
import { counted, plural } from '../../../text/numbers.ts';
import { canonicalZone, parseTime } from '../../../text/time.ts';
import { DAY } from '../../../text/units.ts';
import { pricePerMinute } from '../../shared/price-per-minute.ts';
import {
  budget,
  callLength,
  labels,
  milliseconds,
  NEVER,
  perCaller,
  perNumber,
  retries,
  stopOn,
} from './rule-values.ts';

export interface RuleOptions {
  window: WeeklyHours;
  zone?: string;
  skipDates?: string;
  start?: string;
  end?: string;
  timezone?: string;
  callsPerHour?: number;
  /** Milliseconds, like all durations here except `longest`, in seconds. */
  wave?: number;
  maxAttempts?: number;
  retry?: PlanRules['retry'];
  maxPerNumber?: PlanRules['maxPerNumber'];
  minGap?: number;
  optOut?: string[];
  /** Millionths. */
  budget?: number;
  pricePerMinute?: number;
  longest?: number;
  stopOn?: PlanRules['stopOn'] | typeof NEVER;
  canary?: number;
  lookFor?: number;
  fromCap?: PlanRules['fromCap'];
  exclude?: string[];
}

/** The records of contacts count attempts in a byte. */
const MOST_ATTEMPTS = 100;
/** Milliseconds: a wave that lasts a day is no wave any more. */
const LONGEST_WAVE = DAY;

const inWords = (ms: number) => writeDuration(ms / 1000);

export function addRuleFlags(command: Command): Command {
  const { retry, stopOn: breaker } = DEFAULTS;
  return command
    .optionsGroup('When')
    .option('--window <hours>', 'local hours of calls: 09:00-20:00, or by days, each like mon-fri=09:00-20:00', filled)
    .option('--zone <name>', "whose hours: each contact's own (contact, the default), or those of an IANA zone", filled)
    .option(
      '--skip-dates <file>',
      'days without calls, read once: a line each, such as 2026-12-25, or 2026-12-25 DE',
      filled,
    )
    .option('--start <time>', 'nobody is called before (default now): ISO 8601, "tomorrow 09:00", or 2h', filled)
    .option('--end <time>', 'nobody is called after', filled)
    .option('--timezone <name>', 'IANA zone of a --start or --end without an offset', filled)
    .optionsGroup('How often')
    .option('--calls-per-hour <n>', `pace of the plan (default ${DEFAULTS.callsPerHour})`, integerFrom(1))
    .option(
      '--wave <duration>',
      `longest wave: also how long a stop can take (default ${inWords(DEFAULTS.wave)})`,
      milliseconds(60),
    )
    .option(
      '--max-attempts <n>',
      `attempts for each contact (default ${DEFAULTS.maxAttempts})`,
      integerFrom(1, MOST_ATTEMPTS),
    )
    .option(
      '--retry <results>',
      `what is tried again, and after how long (default busy=${inWords(retry.busy)},no_answer=${inWords(retry.no_answer)}); other results never are`,
      retries,
    )
    .option('--max-per-number <n/time>', 'most calls of a number, by anybody known here, such as 3/24h', perNumber)
    .option(
      '--min-gap <duration>',
      `between two calls of a number, by anybody known here (default ${inWords(DEFAULTS.minGap)})`,
      milliseconds(0),
    )
    .option('--from-cap <n/time>', 'most calls of this plan from each --from, such as 100/day', perCaller)
    .optionsGroup('When to stop')
    .option(
      '--opt-out <outcomes>',
      `further outcomes after which nothing here calls the number any more, besides ${DEFAULTS.optOut.join(' and ')}`,
      labels,
    )
    .option('--budget <amount>', 'no wave that could pass it, if every call were answered; needs a price', budget)
    .option('--price-per-minute <amount>', 'price of a started minute', pricePerMinute)
    .option(
      '--longest <duration>',
      `longest call to expect (default ${writeDuration(DEFAULTS.longest)}); a longer one that was seen counts`,
      callLength,
    )
    .option(
      '--stop-on <share>',
      `stop at such a share of the last attempts (default ${breaker.result}=${breaker.share * 100}%/${breaker.over}), or never`,
      stopOn,
    )
    .option('--canary <n>', 'the first wave has n contacts; then the plan waits for plan resume', integerFrom(1))
    .option(
      '--look-for <duration>',
      `how long after the calls of --canary or --probe others are waited for, before the verdict (default ${inWords(DEFAULTS.firstLook)})`,
      milliseconds(60),
    )
    .optionsGroup('Flags');
}

/**
 * Throws UsageError or InputError, with the flag and what to write instead, for rules that contradict each other. `now`: in
 * milliseconds since the epoch, by the clock that places the calls.
 */
export async function rulesFrom(options: RuleOptions, now: number): Promise<PlanRules> {
  const { zone = ZONE_OF_CONTACT, skipDates, maxPerNumber, canary, lookFor, fromCap, exclude = [] } = options;
  requirePrice(options);
  requireOneCall(options);
  const { wave = DEFAULTS.wave } = options;
  if (wave > LONGEST_WAVE) throw new UsageError('--wave must be at most 1d: a stop would take as long.');
  if (options.timezone !== undefined) canonicalZone(options.timezone, '--timezone');
  const { start, end } = await period(options, now);
  return {
    window: options.window,
    zone: zone === ZONE_OF_CONTACT ? zone : canonicalZone(zone, '--zone'),
    skipDates: skipDates === undefined ? [] : readSkipDates(skipDates),
    start,
    end,
    callsPerHour: options.callsPerHour ?? DEFAULTS.callsPerHour,
    wave,
    maxAttempts: options.maxAttempts ?? DEFAULTS.maxAttempts,
    retry: options.retry ?? DEFAULTS.retry,
    maxPerNumber,
    minGap: options.minGap ?? DEFAULTS.minGap,
    optOut: [...new Set([...DEFAULTS.optOut, ...(options.optOut ?? [])])],
    budget: options.budget,
    pricePerMinute: options.pricePerMinute,
    longest: options.longest ?? DEFAULTS.longest,
    stopOn: options.stopOn === NEVER ? undefined : (options.stopOn ?? DEFAULTS.stopOn),
    canary,
    ...(canary !== undefined && { firstLook: lookFor ?? DEFAULTS.firstLook }),
    fromCap,
    exclude: exclude.map(listPath),
  };
}

/** Throws UsageError if a canary would be everybody. */
export function requireOthers({ canary }: Pick<RuleOptions, 'canary'>, contacts: number): void {
  if (canary === undefined || canary < contacts) return;
  const there = `there ${plural(contacts, 'is', 'are')} only ${counted(contacts, 'contact')}`;
  throw new UsageError(`--canary ${canary}: ${there}. Nothing was written.`, {
    hint: 'Give a smaller number, or leave --canary out.',
  });
}

function requirePrice({ budget: most, pricePerMinute: price }: RuleOptions): void {
  if (most === undefined || (price !== undefined && price > 0)) return;
  const why = price === 0 ? '--price-per-minute 0 would never use it up' : 'what a call costs is not known';
  throw new UsageError(`--budget needs --price-per-minute: ${why}.`, {
    hint: 'Add the price of a started minute, such as --price-per-minute 0.10.',
  });
}

/** Throws UsageError if no wave could ever be sent: whoever is called first may be on the phone for the longest time. */
function requireOneCall({ budget: most, pricePerMinute: price, longest = DEFAULTS.longest }: RuleOptions): void {
  const call = costOf(longest, { pricePerMinute: price });
  if (most === undefined || call <= most) return;
  const lasting = `--longest ${writeDuration(longest)}`;
  throw new UsageError(
    `--budget ${fromMicros(most)} allows no call: one of ${lasting} may cost ${fromMicros(call)}. Nothing was written.`,
    { hint: 'Raise --budget, or lower --longest to what your calls last at most.' },
  );
}

async function period({ start, end, timezone }: RuleOptions, now: number) {
  const read = async (text: string | undefined, flag: string) => {
    if (text === undefined) return undefined;
    const zone = { name: timezone, flag: '--timezone' };
    const instant = await parseTime(text, { flag, now, direction: 'ahead', zone });
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

function readSkipDates(path: string): PlanRules['skipDates'] {
  const text = withFileErrors('read', path, () => readFileSync(path, 'utf8'));
  return parseSkipDates(text, path);
}

/** The lists are read again before each wave, from whatever folder that is run. */
function listPath(path: string): string {
  if (path !== '-') return resolve(path);
  throw new UsageError('--exclude - cannot be read again before each wave: name a file.');
}
