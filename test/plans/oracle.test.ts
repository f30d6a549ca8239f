/** The oracle of the random worlds: what it must see. What it must not mind happens in the worlds themselves, which it would accuse. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playCarelessly } from '../support/plan-worlds/careless.ts';
import { takenRows } from '../support/plan-worlds/command-line.ts';
import { worlds } from '../support/plan-worlds/generate.ts';
import type { Dial, History, Look, PlanOfHistory, Post, Told } from '../support/plan-worlds/history.ts';
import { localTime, offsetOf } from '../support/plan-worlds/local-time.ts';
import { judge } from '../support/plan-worlds/oracle/judge.ts';
import { RULES, type Rule } from '../support/plan-worlds/oracle/view.ts';
import { NUMBERS } from '../support/plan-worlds/service.ts';
import { MINUTE, type Rules } from '../support/plan-worlds/world.ts';
import { temporaryFolder } from '../support/program.ts';
import fc from '../support/properties.ts';

const RULES_OF_PLAN: Rules = {
  openings: [{ days: [0, 4], opens: 9 * 60, closes: 17 * 60 }],
  zone: undefined,
  skip: [],
  startsIn: undefined,
  endsIn: undefined,
  ...{ callsPerHour: 60, wave: 30, maxAttempts: 3, minGap: 15, fromNumbers: 1 },
  retry: { busy: 30, no_answer: 60, failed: null, voicemail: 60 },
  perNumber: undefined,
  budget: undefined,
  stopOn: undefined,
  canary: undefined,
  fromCap: undefined,
  optOut: ['not_interested'],
};

const ANA = { key: 'ana', phone: '+4930901820001', country: 'DE', zones: ['Europe/Berlin'] };
const BO = { key: 'bo', phone: '+12127360002', country: 'US', zones: ['America/New_York'] };
const CY = { key: 'cy', phone: '+79167710003', country: 'RU', zones: ['Europe/Moscow', 'Asia/Yekaterinburg'] };
const OUT = { key: 'out', phone: '+4930901820009', country: 'DE', zones: ['Europe/Berlin'] };

/** A wave or another request, in words: when, who, and what came of each call. */
interface Sent {
  /** UTC, as `06-15 10:00` of 2026; it begins then. */
  at: string;
  who: (typeof ANA)[];
  ends?: string[];
  wave?: number;
  /** It is no wave of the plan; `foreign` did not pass through the register. */
  beside?: 'call' | 'foreign';
  /** When it was sent, if before. */
  sentAt?: string;
  shownAt?: string;
  seconds?: number;
  post?: Partial<Post>;
  isLost?: boolean;
}

type Event =
  | Sent
  | { tell: Told['what']; at: string }
  | { exclude: typeof ANA }
  | { look: Partial<Look['contacts']>; at: string };

interface Case {
  ahead?: number;
  rules?: Partial<Rules>;
  plan?: Partial<PlanOfHistory>;
  events: Event[];
  look?: Partial<Look>;
}

const instant = (text: string) => Date.parse(`2026-${text.replace(' ', 'T')}Z`);

function historyOf({ ahead = 0, rules = {}, plan = {}, events, look }: Case): History {
  const rows = [ANA, BO, CY, OUT];
  const plans: PlanOfHistory[] = [
    {
      ...{ name: 'Spring', rules: { ...RULES_OF_PLAN, ...rules }, createdAt: instant('06-01 00:00') },
      ...{ start: undefined, end: undefined, skip: [], rows, contacts: rows.length, ...plan },
    },
  ];
  const none = { posts: [], dials: [], told: [], excluded: [], looks: [], misbehaved: [] };
  const history: History = { isLocal: false, ahead, pace: 1, plans, ...none };
  let [seq, waves] = [0, 0];
  for (const event of events) {
    seq += 1;
    if ('tell' in event) history.told.push({ seq, at: instant(event.at), plan: 0, what: event.tell });
    else if ('look' in event) {
      const contacts = { ...NOBODY, ...event.look };
      history.looks.push({ ...LOOK, seq, at: instant(event.at), state: 'open', contacts, attempts: undefined });
    } else if ('exclude' in event) history.excluded.push({ seq, phone: event.exclude.phone });
    else {
      const { at, who, ends = [], beside, seconds = 30 } = event;
      if (beside === undefined) waves += 1;
      const post: Post = {
        ...{ seq, at: instant(event.sentAt ?? at), kind: beside === undefined ? 'campaign' : 'call' },
        ...(beside === undefined ? { wave: { plan: 0, number: event.wave ?? waves } } : {}),
        ...{ isForeign: beside === 'foreign', from: NUMBERS[0] as string, contacts: who },
        ...{ startTime: `2026-${at.replace(' ', 'T')}:00Z`, callsPerHour: rules.callsPerHour ?? 60, retries: 0 },
        ...{ answer: 'accepted', ...event.post },
      };
      history.posts.push(post);
      if (post.answer === 'refused' || event.isLost) continue;
      history.dials.push(
        ...who.map(({ phone }, row): Dial => {
          const [status = 'busy', outcome = ''] = (ends[row] ?? 'busy').split(' ');
          const dialled = instant(at) + row * MINUTE;
          const shownAt = event.shownAt === undefined ? dialled : instant(event.shownAt);
          return { at: dialled, phone, from: post.from, status, outcome, seconds, post: seq, row, shownAt };
        }),
      );
    }
  }
  history.dials.sort((left, right) => left.at - right.at);
  if (look !== undefined) {
    const at = instant('06-30 00:00');
    const contacts = { ...NOBODY, left: plans[0]?.contacts ?? 0 };
    const last: Look = { ...LOOK, seq: seq + 1, at, contacts };
    // Whatever it says while it is open, it ends well.
    history.looks.push(...(look.state === 'open' ? [{ ...last, ...look }, last] : [{ ...last, ...look }]));
  }
  return history;
}

const NOBODY = { new: 0, handed: 0, again: 0, reached: 0, exhausted: 0, unseen: 0, excluded: 0, left: 0 };
const LOOK: Look = {
  ...{ seq: 0, at: 0, plan: 0, state: 'done', reason: null, contacts: NOBODY, attempts: 0, spent: null },
  ...{ next: undefined, isAfterRun: true },
};
/** On Monday evening, when Ana's day is over. */
const WAITING: Partial<Look> = { state: 'open', at: instant('06-15 15:30'), contacts: { ...NOBODY, new: 1 } };
const ANA_ONLY = { rows: [ANA], contacts: 1 };

/** 15 June 2026 is a Monday. */
const ana = (at: string, more: Partial<Sent> = {}): Sent => ({ at, who: [ANA], ...more });

const BAD: [string, Rule, Case][] = [
  ['a minute too early', 'window', { events: [ana('06-15 06:59')] }],
  [
    'open by the old clocks only',
    'window',
    { plan: { rows: [{ ...ANA, zones: ['America/Vancouver'] }] }, events: [ana('12-16 00:30')] },
  ],
  [
    'open by the new clocks only',
    'window',
    { plan: { rows: [{ ...ANA, zones: ['America/Vancouver'] }] }, events: [ana('12-15 16:30')] },
  ],
  ['too early by one clock', 'window', { ahead: -5 * MINUTE, events: [ana('06-15 07:04')] }],
  ['closed by one clock', 'window', { ahead: 5 * MINUTE, events: [ana('06-15 14:55')] }],
  ['the minute of closing', 'window', { events: [ana('06-15 15:00')] }],
  ['open in one zone only', 'window', { events: [{ at: '06-15 12:00', who: [CY] }] }],
  ['a closed day', 'window', { events: [ana('06-20 10:00')] }],
  ['Monday here, Sunday there', 'window', { events: [{ at: '06-15 03:00', who: [BO] }] }],
  ['an hour later in winter', 'window', { events: [ana('11-16 07:30')] }],
  ['nobody knows where', 'window', { plan: { rows: [{ ...ANA, zones: [] }] }, events: [ana('06-15 10:00')] }],
  ['a skipped date', 'skipped date', { plan: { skip: [{ date: '2026-06-15' }] }, events: [ana('06-15 10:00')] }],
  [
    'of a country',
    'skipped date',
    { plan: { skip: [{ date: '2026-06-15', country: 'DE' }] }, events: [ana('06-15 10:00')] },
  ],
  ['before the start', 'before the start', { plan: { start: instant('06-15 10:01') }, events: [ana('06-15 10:00')] }],
  ['after the end', 'after the end', { plan: { end: instant('06-15 09:59') }, events: [ana('06-15 10:00')] }],
  ['one attempt too many', 'attempts', { rules: { maxAttempts: 1 }, events: [ana('06-15 10:00'), ana('06-15 11:00')] }],
  ['a minute too soon', 'retry', { events: [ana('06-15 10:00'), ana('06-15 10:29')] }],
  ['never again', 'retry', { events: [ana('06-15 10:00', { ends: ['failed'] }), ana('06-16 10:00')] }],
  [
    'reached, and called again',
    'retry',
    { events: [ana('06-15 10:00', { ends: ['completed sold'] }), ana('06-16 10:00')] },
  ],
  ['a minute after a call beside', 'gap', { events: [ana('06-15 10:00', { beside: 'call' }), ana('06-15 10:14')] }],
  [
    'before a call that was known to come',
    'gap',
    { events: [ana('06-15 10:10', { sentAt: '06-15 09:00', beside: 'call' }), ana('06-15 10:00')] },
  ],
  ['after what the log shows', 'gap', { events: [ana('06-15 10:00', { beside: 'foreign' }), ana('06-15 10:14')] }],
  [
    'one more than the cap',
    'cap of a number',
    {
      rules: { perNumber: { count: 1, within: 60 } },
      events: [ana('06-15 10:00', { beside: 'foreign' }), ana('06-15 10:59')],
    },
  ],
  ['two waves at once', 'pace', { events: [ana('06-15 13:00'), { at: '06-15 13:00', who: [BO] }] }],
  ['after a stop', 'stop', { events: [{ tell: 'stopped', at: '06-15 09:00' }, ana('06-15 10:00')] }],
  ['after it was cancelled', 'cancel', { events: [{ tell: 'cancelled', at: '06-15 09:00' }, ana('06-15 10:00')] }],
  ['a large canary', 'canary', { rules: { canary: 1 }, events: [{ at: '06-15 13:00', who: [ANA, BO] }] }],
  [
    'nobody looked at the canary',
    'canary',
    { rules: { canary: 1 }, events: [ana('06-15 13:00'), { at: '06-15 13:20', who: [BO] }] },
  ],
  [
    'nobody looked at a canary that may have arrived',
    'canary',
    {
      rules: { canary: 1 },
      events: [{ look: { new: 3, handed: 1 }, at: '06-15 12:50' }, ana('06-15 13:00', { wave: 2 })],
    },
  ],
  [
    'a caller beyond its cap',
    'cap of a caller',
    { rules: { fromCap: { count: 1, within: 60 } }, events: [ana('06-15 13:00'), { at: '06-15 13:30', who: [BO] }] },
  ],
  ['the same wave again', 'wave twice', { events: [ana('06-15 10:00', { wave: 1 }), ana('06-15 11:00', { wave: 1 })] }],
  ['retries by the service', 'shape of a wave', { events: [ana('06-15 10:00', { post: { retries: 1 } })] }],
  [
    'a time without zone',
    'shape of a wave',
    { events: [ana('06-15 10:00', { post: { startTime: '2026-06-15T10:00:00' } })] },
  ],
  [
    'longer than a wave',
    'shape of a wave',
    { rules: { wave: 1, callsPerHour: 20 }, events: [{ at: '06-15 13:00', who: [ANA, BO] }] },
  ],
  ['another number', 'shape of a wave', { events: [ana('06-15 10:00', { post: { from: NUMBERS[1] as string } })] }],
  ['somebody else', 'shape of a wave', { events: [{ at: '06-15 10:00', who: [{ ...ANA, phone: BO.phone }] }] }],
  ['somebody twice', 'shape of a wave', { events: [{ at: '06-15 10:00', who: [ANA, ANA] }] }],
  ['excluded', 'excluded', { events: [{ exclude: ANA }, ana('06-15 10:00')] }],
  [
    'opted out',
    'opted out',
    {
      plan: { rows: [ANA, { ...OUT, phone: ANA.phone }] },
      events: [
        ana('06-15 10:00', { ends: ['completed not_interested'] }),
        { at: '06-15 11:00', who: [{ ...OUT, phone: ANA.phone }] },
      ],
    },
  ],
  [
    'opted out days before in a single call',
    'opted out',
    { events: [ana('06-11 10:00', { ends: ['completed not_interested'], beside: 'call' }), ana('06-15 10:00')] },
  ],
  [
    'a single call to somebody who opted out',
    'opted out',
    {
      events: [
        ana('06-15 10:00', { ends: ['completed not_interested'] }),
        { at: '06-15 12:00', look: {} },
        ana('06-15 13:00', { beside: 'call' }),
      ],
    },
  ],
  [
    'an unknown wave',
    'unknown',
    { events: [ana('06-15 10:00', { post: { answer: 'unknown' }, isLost: true }), ana('06-17 10:00')] },
  ],
  ['seen later', 'unknown', { events: [ana('06-15 10:00', { shownAt: '06-15 12:00' }), ana('06-15 11:00')] }],
  [
    'recalled before, not after',
    'unknown',
    { events: [{ tell: 'recalling', at: '06-15 09:00' }, ana('06-15 10:00', { isLost: true }), ana('06-17 10:00')] },
  ],
  [
    'too many failed',
    'breaker',
    {
      rules: { stopOn: { percent: 50, over: 2 } },
      events: [
        { at: '06-15 13:00', who: [ANA, BO], ends: ['failed', 'failed'] },
        { at: '06-15 13:30', who: [CY] },
      ],
    },
  ],
  [
    'a minute beyond the budget',
    'budget',
    {
      rules: { budget: { cents: 20, centsPerMinute: 10, longest: 2 } },
      events: [{ at: '06-15 13:00', who: [ANA, BO], ends: ['completed sold', 'completed sold'], seconds: 61 }],
    },
  ],
  ['counts that miss one', 'counts', { events: [], look: { contacts: { ...NOBODY, reached: 3 } } }],
  ['more attempts than were sent', 'counts', { events: [], look: { attempts: 1 } }],
  [
    'more attempts than were sent, and a call of others two days later',
    'counts',
    { events: [ana('06-15 10:00'), ana('06-17 13:00', { beside: 'foreign' })], look: { attempts: 2 } },
  ],
  ['somebody is still to be called', 'lost', { events: [], look: { contacts: { ...NOBODY, new: 1, left: 3 } } }],
  [
    'late for the first hour',
    'idle',
    { plan: ANA_ONLY, events: [], look: { ...WAITING, next: instant('06-16 08:00') } },
  ],
  ['never', 'idle', { plan: ANA_ONLY, events: [], look: WAITING }],
  ['an attempt that was made is not counted', 'truth', { events: [ana('06-15 10:00')], look: {} }],
  [
    'somebody is said to be reached',
    'truth',
    { events: [ana('06-15 10:00')], look: { attempts: 1, contacts: { ...NOBODY, reached: 1, left: 3 } } },
  ],
];

test.each(BAD)('sees: %s (%s)', (_name, rule, bad) => {
  expect(judge(historyOf(bad)).map((breach) => breach.rule)).toContain(rule);
});

test('every rule has a case', () => {
  const rules = new Set(BAD.map(([, rule]) => rule));
  expect(RULES.filter((rule) => !rules.has(rule))).toEqual(['behaviour']);
});

test('rows that were rejected are no plan’s', () => {
  const rejects = join(temporaryFolder(), 'rejects.csv');
  expect(takenRows({ rows: [ANA, BO, CY], rejects })).toEqual([ANA, BO, CY]);
  writeFileSync(rejects, `line,column,code\n2,phone_number,no_common_hour\n4,zone,unknown_zone\n`);
  expect(takenRows({ rows: [ANA, BO, CY], rejects })).toEqual([BO]);
});

test('what a command does wrong is told', () => {
  const history = { ...historyOf({ events: [] }), misbehaved: ['plan run exited with 1'] };
  expect(judge(history)).toEqual([{ rule: 'behaviour', text: 'plan run exited with 1' }]);
});

test('a planner that knows no rules breaks every one of them', () => {
  const folder = temporaryFolder();
  const broken = new Map<Rule, number>();
  for (const world of fc.sample(worlds({ crowdIn: 1000 }), 300)) {
    const rules = new Set(judge(playCarelessly(world, folder)).map(({ rule }) => rule));
    for (const rule of rules) broken.set(rule, (broken.get(rule) ?? 0) + 1);
  }
  expect(RULES.filter((rule) => rule !== 'behaviour' && !broken.has(rule))).toEqual([]);
});

test.each([
  ['2026-03-29T00:59:59Z', 'Europe/Berlin', 1, 60],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', 3, 120],
  ['2026-10-25T01:00:00Z', 'Europe/Berlin', 2, 60],
  ['2026-06-15T12:00:00Z', 'Pacific/Kiritimati', 2, 840],
  ['2026-06-15T12:00:00Z', 'Pacific/Pago_Pago', 1, -660],
  ['2026-06-15T12:00:00Z', 'Asia/Kathmandu', 17, 345],
  ['2026-01-15T12:00:00Z', 'Pacific/Chatham', 1, 825],
  ['2026-06-15T00:00:00Z', 'UTC', 0, 0],
])('%s in %s is hour %i', (at, zone, hour, offset) => {
  expect(Math.floor(localTime(Date.parse(at), zone).minute / 60)).toBe(hour);
  expect(offsetOf(Date.parse(at), zone)).toBe(offset);
});
