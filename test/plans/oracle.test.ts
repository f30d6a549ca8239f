/** The oracle of the random worlds: what it must see, and what it must not mind. Everything else rests on it. */
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
  isLocal?: boolean;
  ahead?: number;
  /** Of the service: the share of the pace that it keeps. */
  pace?: number;
  rules?: Partial<Rules>;
  plan?: Partial<PlanOfHistory>;
  events: Event[];
  look?: Partial<Look>;
}

const instant = (text: string) => Date.parse(`2026-${text.replace(' ', 'T')}Z`);

function historyOf({ isLocal = false, ahead = 0, pace = 1, rules = {}, plan = {}, events, look }: Case): History {
  const rows = [ANA, BO, CY, OUT];
  const plans: PlanOfHistory[] = [
    {
      ...{ name: 'Spring', rules: { ...RULES_OF_PLAN, ...rules }, createdAt: instant('06-01 00:00') },
      ...{ start: undefined, end: undefined, skip: [], rows, contacts: rows.length, ...plan },
    },
  ];
  const none = { posts: [], dials: [], told: [], excluded: [], looks: [], misbehaved: [] };
  const history: History = { isLocal, ahead, pace, plans, ...none };
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
const GOOD: Record<string, Case> = {
  'a call beside to somebody who opted out, of whom no plan was to hear': {
    plan: { rows: [BO], contacts: 1, start: instant('06-29 00:00') },
    events: [
      { at: '06-15 10:00', who: [ANA], ends: ['completed not_interested'], beside: 'call' },
      { at: '06-15 12:00', look: { new: 1 } },
      { at: '06-15 13:00', who: [ANA], beside: 'call' },
    ],
    look: {},
  },
  'within the hours of all zones': {
    events: [
      { at: '06-15 07:00', who: [ANA] },
      { at: '06-15 10:00', who: [CY] },
    ],
  },
  'the first minute of a zone, and the last': {
    events: [
      { at: '06-15 07:00', who: [ANA], ends: ['no_answer'] },
      { at: '06-15 14:59', who: [ANA] },
    ],
  },
  'within the hours by both clocks': { ahead: 5 * MINUTE, events: [{ at: '06-15 14:54', who: [ANA] }] },
  'again when it is due': {
    events: [
      { at: '06-15 10:00', who: [ANA] },
      { at: '06-15 10:30', who: [ANA] },
    ],
  },
  'three attempts': {
    events: [
      { at: '06-15 10:00', who: [ANA] },
      { at: '06-15 10:30', who: [ANA] },
      { at: '06-15 11:00', who: [ANA] },
    ],
  },
  'a call beside that is sent later': {
    events: [
      { sentAt: '06-15 09:50', at: '06-15 10:05', who: [ANA] },
      { at: '06-15 10:00', who: [ANA], beside: 'call' },
    ],
  },
  'a call of others that the log does not show': {
    events: [
      { at: '06-15 10:00', who: [ANA], beside: 'foreign', shownAt: '06-15 12:00' },
      { at: '06-15 10:05', who: [ANA] },
    ],
  },
  'a call beside, a gap before': {
    events: [
      { at: '06-15 10:00', who: [ANA], beside: 'call' },
      { at: '06-15 10:15', who: [ANA] },
    ],
  },
  'a cap that has room': {
    rules: { perNumber: { count: 2, within: 60 } },
    events: [
      { at: '06-15 10:00', who: [ANA] },
      { at: '06-15 10:30', who: [ANA] },
      { at: '06-15 11:00', who: [ANA] },
    ],
  },
  'resumed after a stop': {
    events: [
      { tell: 'stopped', at: '06-15 09:00' },
      { tell: 'resuming', at: '06-15 09:01' },
      { at: '06-15 10:00', who: [ANA] },
    ],
  },
  'resumed after the canary': {
    rules: { canary: 1 },
    events: [
      { at: '06-15 10:00', who: [ANA] },
      { tell: 'resuming', at: '06-15 10:10' },
      { at: '06-15 14:00', who: [BO, CY], isLost: true },
    ],
  },
  'waiting for somebody whose wave never arrived': {
    plan: ANA_ONLY,
    events: [],
    look: { ...WAITING, contacts: { ...NOBODY, unseen: 1 } },
  },
  'a canary after a wave that never reached the local engine': {
    ...{ isLocal: true, rules: { canary: 1 } },
    events: [{ at: '06-15 13:00', who: [ANA], wave: 2 }],
  },
  'a canary after a wave of which the plan knows that it was not sent': {
    rules: { canary: 1 },
    events: [
      { look: { new: 4 }, at: '06-15 12:50' },
      { at: '06-15 13:00', who: [ANA], wave: 2 },
    ],
    look: { attempts: 1 },
  },
  'a call of others like its own, counted as a second attempt': {
    events: [
      { at: '06-15 10:00', who: [ANA] },
      { at: '06-15 11:30', who: [ANA], beside: 'foreign' },
    ],
    look: { attempts: 2, contacts: { ...NOBODY, left: 4 } },
  },
  'a call of its own that it took for one of others, whose call the log did not show yet': {
    events: [
      { at: '06-15 09:00', who: [ANA], beside: 'call', shownAt: '06-15 12:00' },
      { at: '06-15 10:00', who: [ANA] },
    ],
    look: { attempts: 0 },
  },
  'a wave again that was refused': {
    events: [
      { at: '06-15 10:00', who: [ANA], wave: 1, post: { answer: 'refused' } },
      { at: '06-15 10:10', who: [ANA], wave: 1 },
    ],
  },
  'an unknown wave that was found in the log': {
    events: [
      { at: '06-15 10:00', who: [ANA], post: { answer: 'unknown' } },
      { at: '06-15 10:40', who: [ANA] },
    ],
  },
  'an unknown wave, recalled': {
    events: [
      { at: '06-15 10:00', who: [ANA], post: { answer: 'unknown' }, isLost: true },
      { tell: 'recalling', at: '06-16 12:00' },
      { at: '06-16 13:00', who: [ANA] },
    ],
  },
  'a budget that lasts': {
    rules: { budget: { cents: 20, centsPerMinute: 10, longest: 2 } },
    events: [{ at: '06-15 13:00', who: [ANA, BO], ends: ['completed sold', 'completed sold'] }],
  },
  'longer calls than anybody thought, by one wave': {
    rules: { budget: { cents: 40, centsPerMinute: 10, longest: 2 } },
    events: [{ at: '06-15 13:00', who: [ANA, BO], ends: ['completed sold', 'completed sold'], seconds: 600 }],
  },
  'counts that add up': { events: [], look: {} },
  'waiting for the first hour': {
    plan: ANA_ONLY,
    events: [],
    look: { ...WAITING, next: instant('06-16 07:00') },
  },
};

const BAD: [string, Rule, Case][] = [
  ['a minute too early', 'window', { events: [{ at: '06-15 06:59', who: [ANA] }] }],
  [
    'open by the old clocks only',
    'window',
    { plan: { rows: [{ ...ANA, zones: ['America/Vancouver'] }] }, events: [{ at: '12-16 00:30', who: [ANA] }] },
  ],
  [
    'open by the new clocks only',
    'window',
    { plan: { rows: [{ ...ANA, zones: ['America/Vancouver'] }] }, events: [{ at: '12-15 16:30', who: [ANA] }] },
  ],
  ['too early by one clock', 'window', { ahead: -5 * MINUTE, events: [{ at: '06-15 07:04', who: [ANA] }] }],
  ['closed by one clock', 'window', { ahead: 5 * MINUTE, events: [{ at: '06-15 14:55', who: [ANA] }] }],
  ['the minute of closing', 'window', { events: [{ at: '06-15 15:00', who: [ANA] }] }],
  ['open in one zone only', 'window', { events: [{ at: '06-15 12:00', who: [CY] }] }],
  ['a closed day', 'window', { events: [{ at: '06-20 10:00', who: [ANA] }] }],
  ['Monday here, Sunday there', 'window', { events: [{ at: '06-15 03:00', who: [BO] }] }],
  ['an hour later in winter', 'window', { events: [{ at: '11-16 07:30', who: [ANA] }] }],
  [
    'nobody knows where',
    'window',
    { plan: { rows: [{ ...ANA, zones: [] }] }, events: [{ at: '06-15 10:00', who: [ANA] }] },
  ],
  [
    'a skipped date',
    'skipped date',
    { plan: { skip: [{ date: '2026-06-15' }] }, events: [{ at: '06-15 10:00', who: [ANA] }] },
  ],
  [
    'of a country',
    'skipped date',
    { plan: { skip: [{ date: '2026-06-15', country: 'DE' }] }, events: [{ at: '06-15 10:00', who: [ANA] }] },
  ],
  [
    'before the start',
    'before the start',
    { plan: { start: instant('06-15 10:01') }, events: [{ at: '06-15 10:00', who: [ANA] }] },
  ],
  [
    'after the end',
    'after the end',
    { plan: { end: instant('06-15 09:59') }, events: [{ at: '06-15 10:00', who: [ANA] }] },
  ],
  [
    'one attempt too many',
    'attempts',
    {
      rules: { maxAttempts: 1 },
      events: [
        { at: '06-15 10:00', who: [ANA] },
        { at: '06-15 11:00', who: [ANA] },
      ],
    },
  ],
  [
    'a minute too soon',
    'retry',
    {
      events: [
        { at: '06-15 10:00', who: [ANA] },
        { at: '06-15 10:29', who: [ANA] },
      ],
    },
  ],
  [
    'never again',
    'retry',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], ends: ['failed'] },
        { at: '06-16 10:00', who: [ANA] },
      ],
    },
  ],
  [
    'reached, and called again',
    'retry',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], ends: ['completed sold'] },
        { at: '06-16 10:00', who: [ANA] },
      ],
    },
  ],
  [
    'a minute after a call beside',
    'gap',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], beside: 'call' },
        { at: '06-15 10:14', who: [ANA] },
      ],
    },
  ],
  [
    'before a call that was known to come',
    'gap',
    {
      events: [
        { sentAt: '06-15 09:00', at: '06-15 10:10', who: [ANA], beside: 'call' },
        { at: '06-15 10:00', who: [ANA] },
      ],
    },
  ],
  [
    'after what the log shows',
    'gap',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], beside: 'foreign' },
        { at: '06-15 10:14', who: [ANA] },
      ],
    },
  ],
  [
    'one more than the cap',
    'cap of a number',
    {
      rules: { perNumber: { count: 1, within: 60 } },
      events: [
        { at: '06-15 10:00', who: [ANA], beside: 'foreign' },
        { at: '06-15 10:59', who: [ANA] },
      ],
    },
  ],
  [
    'two waves at once',
    'pace',
    {
      events: [
        { at: '06-15 13:00', who: [ANA] },
        { at: '06-15 13:00', who: [BO] },
      ],
    },
  ],
  [
    'after a stop',
    'stop',
    {
      events: [
        { tell: 'stopped', at: '06-15 09:00' },
        { at: '06-15 10:00', who: [ANA] },
      ],
    },
  ],
  [
    'after it was cancelled',
    'cancel',
    {
      events: [
        { tell: 'cancelled', at: '06-15 09:00' },
        { at: '06-15 10:00', who: [ANA] },
      ],
    },
  ],
  ['a large canary', 'canary', { rules: { canary: 1 }, events: [{ at: '06-15 13:00', who: [ANA, BO] }] }],
  [
    'nobody looked at the canary',
    'canary',
    {
      rules: { canary: 1 },
      events: [
        { at: '06-15 13:00', who: [ANA] },
        { at: '06-15 13:20', who: [BO] },
      ],
    },
  ],
  [
    'nobody looked at a canary that may have arrived',
    'canary',
    {
      rules: { canary: 1 },
      events: [
        { look: { new: 3, handed: 1 }, at: '06-15 12:50' },
        { at: '06-15 13:00', who: [ANA], wave: 2 },
      ],
    },
  ],
  [
    'a caller beyond its cap',
    'cap of a caller',
    {
      rules: { fromCap: { count: 1, within: 60 } },
      events: [
        { at: '06-15 13:00', who: [ANA] },
        { at: '06-15 13:30', who: [BO] },
      ],
    },
  ],
  [
    'the same wave again',
    'wave twice',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], wave: 1 },
        { at: '06-15 11:00', who: [ANA], wave: 1 },
      ],
    },
  ],
  ['retries by the service', 'shape of a wave', { events: [{ at: '06-15 10:00', who: [ANA], post: { retries: 1 } }] }],
  [
    'a time without zone',
    'shape of a wave',
    { events: [{ at: '06-15 10:00', who: [ANA], post: { startTime: '2026-06-15T10:00:00' } }] },
  ],
  [
    'longer than a wave',
    'shape of a wave',
    { rules: { wave: 1, callsPerHour: 20 }, events: [{ at: '06-15 13:00', who: [ANA, BO] }] },
  ],
  [
    'another number',
    'shape of a wave',
    { events: [{ at: '06-15 10:00', who: [ANA], post: { from: NUMBERS[1] as string } }] },
  ],
  ['somebody else', 'shape of a wave', { events: [{ at: '06-15 10:00', who: [{ ...ANA, phone: BO.phone }] }] }],
  ['somebody twice', 'shape of a wave', { events: [{ at: '06-15 10:00', who: [ANA, ANA] }] }],
  ['excluded', 'excluded', { events: [{ exclude: ANA }, { at: '06-15 10:00', who: [ANA] }] }],
  [
    'opted out',
    'opted out',
    {
      plan: { rows: [ANA, { ...OUT, phone: ANA.phone }] },
      events: [
        { at: '06-15 10:00', who: [ANA], ends: ['completed not_interested'] },
        { at: '06-15 11:00', who: [{ ...OUT, phone: ANA.phone }] },
      ],
    },
  ],
  [
    'opted out days before in a single call',
    'opted out',
    {
      events: [
        { at: '06-11 10:00', who: [ANA], ends: ['completed not_interested'], beside: 'call' },
        { at: '06-15 10:00', who: [ANA] },
      ],
    },
  ],
  [
    'a single call to somebody who opted out',
    'opted out',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], ends: ['completed not_interested'] },
        { at: '06-15 12:00', look: {} },
        { at: '06-15 13:00', who: [ANA], beside: 'call' },
      ],
    },
  ],
  [
    'an unknown wave',
    'unknown',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], post: { answer: 'unknown' }, isLost: true },
        { at: '06-17 10:00', who: [ANA] },
      ],
    },
  ],
  [
    'seen later',
    'unknown',
    {
      events: [
        { at: '06-15 10:00', who: [ANA], shownAt: '06-15 12:00' },
        { at: '06-15 11:00', who: [ANA] },
      ],
    },
  ],
  [
    'recalled before, not after',
    'unknown',
    {
      events: [
        { tell: 'recalling', at: '06-15 09:00' },
        { at: '06-15 10:00', who: [ANA], isLost: true },
        { at: '06-17 10:00', who: [ANA] },
      ],
    },
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
  [
    'counts that miss one',
    'counts',
    {
      events: [],
      look: { contacts: { ...NOBODY, reached: 3 } },
    },
  ],
  ['more attempts than were sent', 'counts', { events: [], look: { attempts: 1 } }],
  [
    'more attempts than were sent, and a call of others two days later',
    'counts',
    {
      events: [
        { at: '06-15 10:00', who: [ANA] },
        { at: '06-17 13:00', who: [ANA], beside: 'foreign' },
      ],
      look: { attempts: 2 },
    },
  ],
  [
    'somebody is still to be called',
    'lost',
    {
      events: [],
      look: { contacts: { ...NOBODY, new: 1, left: 3 } },
    },
  ],
  [
    'late for the first hour',
    'idle',
    { plan: ANA_ONLY, events: [], look: { ...WAITING, next: instant('06-16 08:00') } },
  ],
  ['never', 'idle', { plan: ANA_ONLY, events: [], look: WAITING }],
  ['an attempt that was made is not counted', 'truth', { events: [{ at: '06-15 10:00', who: [ANA] }], look: {} }],
  [
    'somebody is said to be reached',
    'truth',
    {
      events: [{ at: '06-15 10:00', who: [ANA] }],
      look: {
        attempts: 1,
        contacts: { ...NOBODY, reached: 1, left: 3 },
      },
    },
  ],
];

test.each(Object.entries(GOOD))('nothing is wrong with: %s', (_name, good) => {
  expect(judge(historyOf(good))).toEqual([]);
});

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
