/** Plans in memory, for tests of what is decided about them. */
import { newPosition } from '../../src/plans/rules/apply.ts';
import type { CallingWindow, CallingWindows } from '../../src/plans/rules/calling-window.ts';
import type { Called, EventOf, PlanEvent } from '../../src/plans/rules/events.ts';
import type { LoadedPlan, Plan } from '../../src/plans/rules/plan.ts';
import { Roster } from '../../src/plans/rules/roster.ts';
import { DEFAULTS, type PlanRules } from '../../src/plans/rules/rules.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Monday, midnight. */
export const T0 = Date.UTC(2026, 10, 23);

const RULES: PlanRules = {
  ...{ window: [], zone: 'contact', skipDates: [], exclude: [], retry: { ...DEFAULTS.retry } },
  ...{ callsPerHour: DEFAULTS.callsPerHour, wave: DEFAULTS.wave, maxAttempts: DEFAULTS.maxAttempts },
  ...{ minGap: DEFAULTS.minGap, optOut: DEFAULTS.optOut, longest: DEFAULTS.longest },
};

/** When each place may be called, in minutes from `T0`, rising. */
export function hoursOfOpenings(
  places: readonly (readonly (readonly [from: number, until: number])[])[],
): CallingWindows {
  const openings: CallingWindow[][] = places.map((place) =>
    place.map(([from, until]) => ({ from: T0 + from * MINUTE, until: T0 + until * MINUTE })),
  );
  return { windowAt: (place, at) => openings[place]?.find(({ until }) => until > at) };
}

/** The same minutes every day, from a year before `T0` on, for each place. */
export function dailyHours(...places: (readonly [from: number, until: number])[]): CallingWindows {
  return {
    windowAt(place, at) {
      const [from, until] = places[place] as readonly [number, number];
      const day = Math.floor((at - T0) / DAY);
      for (const candidate of [day, day + 1]) {
        const midnight = T0 + candidate * DAY;
        const opening = { from: midnight + from * MINUTE, until: midnight + until * MINUTE };
        if (opening.until > at) return opening;
      }
      return undefined;
    },
  };
}

export interface InMemory {
  /** For each contact its phone and its place. */
  contacts: readonly { phone: number; place?: number }[];
  rules?: Partial<PlanRules>;
  from?: readonly string[];
  hours?: CallingWindows;
}

export const ALWAYS: CallingWindows = { windowAt: (_place, at) => ({ from: at - DAY, until: at + 400 * DAY }) };

export function planInMemory({ contacts, rules, from = ['+14155550100'], hours = ALWAYS }: InMemory): LoadedPlan {
  const whole = { ...RULES, ...rules };
  const dials = Math.max(1, whole.maxPerNumber?.count ?? 1);
  const plan: Plan = {
    ...{ plan_id: 1, plan_name: 'Test', service: '', isLocal: true, organization_id: 1, createdAt: T0, agent_id: 1 },
    ...{ from, rules: whole, places: [{ zones: ['UTC'], country: null }], contacts: contacts.length },
  };
  const roster = new Roster(contacts.length, dials);
  for (const [row, { phone, place = 0 }] of contacts.entries()) roster.put(row, phone, place);
  return { plan, position: newPosition(), roster, windows: hours };
}

/** Events of a plan from one number, a call a minute; a call was busy unless it is said. */
export const handed = (wave: number, rows: number[], at: number): EventOf<'handed'> => {
  return { event: 'handed', at, wave, from: '+14155550100', start: at, interval: MINUTE, rows };
};
export const accepted = (wave: number, at: number, campaign_id = wave): PlanEvent => {
  return { event: 'answered', at, wave, outcome: 'accepted', campaign_id };
};
export const called = (row: number, at: number, changes: Partial<Called> = {}): Called => ({
  ...{ event: 'called', at, row, wave: 1, result: 'busy', status: 'busy', outcome: 'not_connected', seconds: 0 },
  ...changes,
});

/** Contacts with phones of their own, all at the first place. */
export function phones(count: number, first = 14155550000): { phone: number; place: number }[] {
  return Array.from({ length: count }, (_none, at) => ({ phone: first + at, place: 0 }));
}
