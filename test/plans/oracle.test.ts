/**
 * The oracle of the random worlds: what it must see. What it must not mind happens in the worlds themselves, which it would accuse.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { casesBeside } from '../support/cases.ts';
import { takenRows } from '../support/plan-worlds/command-line.ts';
import type { Dial, History, Look, PlanOfHistory, Post, Row, Told } from '../support/plan-worlds/history.ts';
import { localTime, offsetOf } from '../support/plan-worlds/local-time.ts';
import { judge } from '../support/plan-worlds/oracle/judge.ts';
import { RULES, type Rule } from '../support/plan-worlds/oracle/view.ts';
import { NUMBERS } from '../support/plan-worlds/service.ts';
import { MINUTE, type Rules } from '../support/plan-worlds/world.ts';
import { temporaryFolder } from '../support/program.ts';

const RULES_OF_PLAN = {
  openings: [{ days: [0, 4], opens: 9 * 60, closes: 17 * 60 }],
  ...{ skip: [], callsPerHour: 60, wave: 30, maxAttempts: 3, minGap: 15, fromNumbers: 1, optOut: ['not_interested'] },
  retry: { busy: 30, no_answer: 60, failed: null, voicemail: 60 },
} as unknown as Rules;

const ana = { key: 'ana', phone: '+4930901820001', country: 'DE', zones: ['Europe/Berlin'] };
const bo = { key: 'bo', phone: '+12127360002', country: 'US', zones: ['America/New_York'] };
const cy = { key: 'cy', phone: '+79167710003', country: 'RU', zones: ['Europe/Moscow', 'Asia/Yekaterinburg'] };
const out = { key: 'out', phone: '+4930901820009', country: 'DE', zones: ['Europe/Berlin'] };
const PEOPLE = { ana, bo, cy, out };
type Name = keyof typeof PEOPLE;

/** By name, perhaps with another's phone, or elsewhere. */
type Person = Name | { name: Name; phone?: Name; zones?: string[] };

function rowOf(person: Person): Row {
  if (typeof person === 'string') return PEOPLE[person];
  const { name, phone = name, ...more } = person;
  return { ...PEOPLE[name], ...more, phone: PEOPLE[phone].phone };
}

/** A wave or another request, in words: when, who, and what came of each call. Times are UTC, as `06-15 10:00` of 2026. */
interface Sent {
  /** It begins then. */
  at: string;
  /** Ana, if nobody is named. */
  who?: Person[];
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
  | { exclude: Name }
  | { edit: Partial<Rules>; end?: string }
  | { look: Look['contacts']; at: string };

interface Case {
  /** Minutes. */
  ahead?: number;
  rules?: Partial<Rules>;
  plan?: { rows?: Person[]; skip?: PlanOfHistory['skip']; start?: string; end?: string };
  events: Event[];
  look?: Partial<Omit<Look, 'at' | 'next'>> & { at?: string; next?: string };
}

/** 15 June 2026 is a Monday. */
const instant = (text: string) => Date.parse(`2026-${text.replace(' ', 'T')}Z`);
const instantIf = (text: string | undefined) => (text === undefined ? undefined : instant(text));

function historyOf({ ahead = 0, rules = {}, plan = {}, events, look }: Case): History {
  const rows = (plan.rows ?? (['ana', 'bo', 'cy', 'out'] as const)).map(rowOf);
  const [start, end] = [plan.start, plan.end].map(instantIf);
  const only = { name: 'Spring', rules: { ...RULES_OF_PLAN, ...rules }, createdAt: instant('06-01 00:00') };
  const edits: PlanOfHistory['edits'] = [];
  const plans = [{ ...only, start, end, skip: plan.skip ?? [], edits, rows, contacts: rows.length }];
  const none = { posts: [], dials: [], told: [], excluded: [], looks: [], misbehaved: [] };
  const history: History = { isLocal: false, ahead: ahead * MINUTE, pace: 1, plans, ...none };
  let [seq, waves] = [0, 0];
  for (const event of events) {
    seq += 1;
    if ('tell' in event) history.told.push({ seq, at: instant(event.at), plan: 0, what: event.tell });
    else if ('edit' in event) edits.push({ seq, rules: { ...only.rules, ...event.edit }, end: instantIf(event.end) });
    else if ('look' in event) {
      const contacts = { ...NOBODY, ...event.look };
      history.looks.push({ ...LOOK, seq, at: instant(event.at), state: 'open', contacts, attempts: undefined });
    } else if ('exclude' in event) history.excluded.push({ seq, phone: PEOPLE[event.exclude].phone });
    else {
      const { at, who = ['ana'], ends = [], beside, seconds = 30 } = event;
      const contacts = who.map(rowOf);
      if (beside === undefined) waves += 1;
      const post: Post = {
        ...{ seq, at: instant(event.sentAt ?? at), kind: beside === undefined ? 'campaign' : 'call' },
        ...(beside === undefined ? { wave: { plan: 0, number: event.wave ?? waves } } : {}),
        ...{ isForeign: beside === 'foreign', from: NUMBERS[0] as string, contacts },
        ...{ startTime: `2026-${at.replace(' ', 'T')}:00Z`, callsPerHour: rules.callsPerHour ?? 60, retries: 0 },
        ...{ answer: 'accepted', ...event.post },
      };
      history.posts.push(post);
      if (post.answer === 'refused' || event.isLost) continue;
      history.dials.push(
        ...contacts.map(({ phone }, row): Dial => {
          const [status = 'busy', outcome = ''] = (ends[row] ?? 'busy').split(' ');
          const dialled = instant(at) + row * MINUTE;
          const shownAt = instantIf(event.shownAt) ?? dialled;
          return { at: dialled, phone, from: post.from, status, outcome, seconds, post: seq, row, shownAt };
        }),
      );
    }
  }
  history.dials.sort((left, right) => left.at - right.at);
  if (look !== undefined) {
    const last: Look = { ...LOOK, seq: seq + 1, contacts: { ...NOBODY, not_called: rows.length } };
    const { at = '06-30 00:00', next, contacts, ...said } = look;
    const counted = contacts === undefined ? last.contacts : { ...NOBODY, ...contacts };
    history.looks.push({ ...last, ...said, at: instant(at), next: instantIf(next), contacts: counted });
    // Whatever it says while it is open, it ends well.
    if (look.state === 'open') history.looks.push(last);
  }
  return history;
}

const NOBODY = { waiting: 0, calling: 0, reached: 0, not_reached: 0, no_result: 0, excluded: 0, not_called: 0 };
const LOOK: Look = {
  ...{ seq: 0, at: instant('06-30 00:00'), plan: 0, state: 'done', reason: null, contacts: NOBODY, attempts: 0 },
  ...{ spent: null, next: undefined, isAfterRun: true },
};

const cases = casesBeside(import.meta.filename);
const BAD = cases<[string, Rule, Case]>('what must not be');

test.each(BAD)('sees: %s (%s)', (_name, rule, bad) => {
  expect(judge(historyOf(bad)).map((breach) => breach.rule)).toContain(rule);
});

test('every rule has a case', () => {
  const rules = new Set(BAD.map(([, rule]) => rule));
  expect(RULES.filter((rule) => !rules.has(rule))).toEqual(['behaviour']);
});

test('rows that were rejected are no plan’s', () => {
  const rejects = join(temporaryFolder(), 'rejects.csv');
  expect(takenRows({ rows: [ana, bo, cy], rejects })).toEqual([ana, bo, cy]);
  writeFileSync(rejects, `line,column,code\n2,phone_number,no_common_hour\n4,zone,unknown_zone\n`);
  expect(takenRows({ rows: [ana, bo, cy], rejects })).toEqual([bo]);
});

test('what a command does wrong is told', () => {
  const history = { ...historyOf({ events: [] }), misbehaved: ['plan run exited with 1'] };
  expect(judge(history)).toEqual([{ rule: 'behaviour', text: 'plan run exited with 1' }]);
});

test.each(cases<[string, string, number, number]>('local times'))('%s in %s is hour %i', (at, zone, hour, offset) => {
  expect(Math.floor(localTime(Date.parse(at), zone).minute / 60)).toBe(hour);
  expect(offsetOf(Date.parse(at), zone)).toBe(offset);
});
