/** The rules of a plan in words, the same wherever somebody is to see them: only what is set, or what matters. */
import { basename } from 'node:path';
import { inWords, labelInWords } from '../../../cli/terminal/words.ts';
import { RETRY_RESULTS } from '../../../contract.ts';
import { fromMicros } from '../../../engine/money.ts';
import type { LoadedPlan } from '../../../plans/rules/plan.ts';
import { DEFAULTS, type LocalWindow, type PlanRules, ZONE_OF_CONTACT } from '../../../plans/rules/rules.ts';
import { type Understood, understood } from '../../../plans/rules/understood.ts';
import { clockTime } from '../../../text/iso.ts';
import { counted, grouped } from '../../../text/numbers.ts';
import { timeInZone } from '../../../text/time.ts';
import { DAY, HOUR, SECOND } from '../../../text/units.ts';
import { inUnits, shortDay } from '../../../text/when.ts';
import { capitalized, WEEKDAYS } from '../../../text/written-time.ts';

/** Of clocks, and of zones in which somebody may be. */
const MOST_NAMED = 4;

/**
 * By what they are called; several lines where there is more to say. `now`: by the clock that places the calls; `zone`: in which
 * times are shown, if not in this machine's.
 */
export function rulesInWords(
  { plan, roster }: Pick<LoadedPlan, 'plan' | 'roster'>,
  now: number,
  zone: string | undefined,
) {
  const { rules, agent_id, from } = plan;
  const { wave, maxAttempts, canary, exclude } = rules;
  const time = (at: number | undefined) => (at === undefined ? '' : timeInZone(at, zone, now));
  const waves = wave === DEFAULTS.wave ? '' : `, in waves of up to ${length(wave)}`;
  const facts: Record<string, string[]> = {
    Hours: hoursInWords(understood({ plan, roster }, now), rules.zone),
    'No calls on': skippedInWords(rules, now),
    Start: [rules.start !== undefined && rules.start > now ? time(rules.start) : ''],
    End: [time(rules.end)],
    Attempts: [maxAttempts === 1 ? '1 for each' : `up to ${maxAttempts} for each: ${retriesInWords(rules)}`],
    Pace: [`${counted(rules.callsPerHour, 'call')} an hour${waves}`],
    Caps: capsInWords(rules),
    Budget: [budgetInWords(rules)],
    'Stops at': [stopInWords(rules.stopOn)],
    'First look': [canary === undefined ? '' : `after ${counted(canary, 'contact')}: then it waits for you`],
    'Not called': [
      ...exclude.map((path) => `numbers in ${basename(path)}, as it is then`),
      ...rules.optOut
        .filter((label) => !(DEFAULTS.optOut as readonly string[]).includes(label))
        .map((label) => `after "${label}"`),
    ],
    Agent: [`${agent_id}, from ${from.join(' and ')}${from.length > 1 ? ' by turns' : ''}`],
  };
  const shown = Object.entries(facts).map(([name, texts]) => [name, texts.filter((text) => text !== '').join('\n')]);
  return Object.fromEntries(shown.filter(([, text]) => text !== '')) as Record<string, string>;
}

// Hours --------------------------------------------------------------------------------------------------------------

function hoursInWords({ hours, clocks, unsure }: Understood, zone: string): string[] {
  const isDaily = hours.length === 1 && hours[0]?.first === 0 && hours[0].last === 6;
  const written = hours.map(({ first, last, windows }) => {
    const days = first === last ? dayName(first) : `${dayName(first)}–${dayName(last)}`;
    return `${isDaily ? '' : `${days} `}${windows.map(windowInWords).join(' and ')}`;
  });
  if (zone !== ZONE_OF_CONTACT) return [`${written.join(', ')} in ${city(zone)} (${zone}), wherever they are`];
  const where = listed(clocks.map((one) => `${city(one.zone)} ${grouped(one.contacts)}`));
  const zones = clocks.length === 1 ? 'in 1 time zone' : `in ${clocks.length} time zones`;
  return [
    `${written.join(', ')} where they are${clocks.length === 0 ? '' : `, ${zones}: ${where}`}`,
    unsure.contacts === 0
      ? ''
      : `${counted(unsure.contacts, 'contact')} may be in any of ${unsure.zones.length} time zones ` +
        `(${listed(unsure.zones.map(city))}): called while it is open in all of theirs`,
  ];
}

function dayName(day: number): string {
  return capitalized(WEEKDAYS[day] ?? '').slice(0, 3);
}

function windowInWords({ from, until }: LocalWindow): string {
  return `${clockTime(from).replace(/^0/, '')}–${clockTime(until).replace(/^0/, '')}`;
}

/** `New York` of `America/New_York`. */
export function city(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** The first of them, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more <= 1 ? names.join(', ') : `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more`;
}

function skippedInWords({ skipDates }: PlanRules, now: number): string[] {
  // Somewhere it is still the day before.
  const today = new Date(now - DAY / 2).toISOString().slice(0, 10);
  const dates = [...new Set(skipDates.map(({ date }) => date))].filter((date) => date >= today).sort();
  const named = dates.map((date) => {
    const all = skipDates.filter((one) => one.date === date).flatMap(({ country }) => (country ? [country] : ['']));
    return `${shortDay(date, now)}${all.includes('') ? '' : ` (${[...new Set(all)].join(', ')})`}`;
  });
  return [listed(named)];
}

// How often ----------------------------------------------------------------------------------------------------------

function length(milliseconds: number): string {
  return inUnits(milliseconds / SECOND);
}

function retriesInWords({ retry }: PlanRules): string {
  const again = RETRY_RESULTS.flatMap((result) => {
    const after = retry[result];
    return after === undefined ? [] : [`${labelInWords(result)} after ${length(after)}`];
  });
  const never = RETRY_RESULTS.filter((result) => retry[result] === undefined).map(labelInWords);
  return [...again, ...(never.length === 0 ? [] : [`${never.join(' and ')} never again`])].join(', ');
}

function capsInWords({ maxPerNumber, minGap, fromCap }: PlanRules): string[] {
  const within = (time: number) => (time === DAY ? '24 h' : time === HOUR ? 'an hour' : length(time));
  return [
    maxPerNumber ? `${counted(maxPerNumber.count, 'call')} to a number in ${within(maxPerNumber.within)}` : '',
    minGap === DEFAULTS.minGap ? '' : `at least ${length(minGap)} between two calls to a number`,
    fromCap ? `${counted(fromCap.count, 'call')} from each number in ${within(fromCap.within)}` : '',
  ];
}

// Money and stops ----------------------------------------------------------------------------------------------------

export function moneyInWords(micros: number): string {
  return inWords('spent', fromMicros(micros), { now: 0, redact: (text) => text });
}

function budgetInWords({ budget, pricePerMinute, longest }: PlanRules): string {
  if (pricePerMinute === undefined) return '';
  const price = `${moneyInWords(pricePerMinute)} a minute`;
  if (budget === undefined) return `none; a call costs ${price}`;
  return `${moneyInWords(budget)}, at ${price} and calls of up to ${inUnits(longest)}`;
}

function stopInWords(stopOn: PlanRules['stopOn']): string {
  if (stopOn === undefined) return 'no share of bad results';
  const { result, share, over } = stopOn;
  const { stopOn: usual } = DEFAULTS;
  if (result === usual.result && share === usual.share && over === usual.over) return '';
  return `${Number((100 * share).toFixed(6))} % ${labelInWords(result)} of the last ${grouped(over)} calls`;
}
