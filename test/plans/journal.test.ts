/** What becomes of a plan, step for step: by the events of its journal, by what the call log shows, and by the clock. */
import { expect, test } from 'vitest';
import type { Party, SentParty } from '../../src/campaigns/attribution/party.ts';
import type { CallLogEntry, Result } from '../../src/contract.ts';
import { lastingOf, reconcileCalls, type SeenCall } from '../../src/plans/log/attempts.ts';
import { type Attributed, attribute, type Callers, wavesIn, withoutPending } from '../../src/plans/log/attribute.ts';
import { type KeptEntry, keptEntry } from '../../src/plans/log/kept-entry.ts';
import { openWave, pastWave, spanOf } from '../../src/plans/log/own-calls.ts';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import { affordable, uncharged } from '../../src/plans/rules/capacity.ts';
import { type Decision, decide } from '../../src/plans/rules/decide.ts';
import { type Called, type Halted, type PlanEvent, runsOf } from '../../src/plans/rules/events.ts';
import { halts, overdue } from '../../src/plans/rules/halts.ts';
import { type Pending, pendingUntilOf } from '../../src/plans/rules/pending.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import { DIAL_MARKS, ROW_STATES, Roster } from '../../src/plans/rules/roster.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { casesBeside } from '../support/cases.ts';
import { ALWAYS, dailyHours, HOUR, handed, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

/** All times are minutes after nine o'clock of a Monday. */
const NINE = T0 + 9 * HOUR;
const at = (minutes: number) => NINE + minutes * MINUTE;
const FROM = '+14155550100';

/** A call in the log, by the row that has its phone. */
type Logged = [row: number, minutes: number, fields?: Partial<CallLogEntry>];

/** Another request of this register, in minutes; when its calls can be made, and what may still be pending. */
type Sent = Partial<Pick<SentParty, 'key' | 'agentId' | 'attempts' | 'retryDelay' | 'isSingleCall'>> &
  Pick<Pending, 'start' | 'until'> & { to: number; pendingUntil?: number };

/** What may still call phones of the plan, in minutes: the second and the third, an hour long, unless it is said. */
type Held = Partial<Omit<Pending, 'phones' | 'isOver'>> & { rows?: Rows };

/** Who may have called besides the plan's open waves, and when the log is read: after an hour. */
interface Given {
  others?: Sent[];
  /** Whether wave 1 was refused. */
  isRefused?: boolean;
  /** Whether it is waited for no longer. */
  isPast?: boolean;
  /** The number that waves were sent from, as far as that is known. */
  sentFrom?: string;
  callsOnce?: boolean;
  now?: number;
}

interface Setting {
  /** How many, or the phone of each. */
  contacts: number | number[];
  /** Whether there is one in each state, after wave 1. */
  inStates?: boolean;
  rules?: Partial<PlanRules>;
  /** The minutes of the day in which people may be called, one pair or one for each of the contacts. */
  hours?: [from: number, until: number][];
  from?: string[];
}

type Seen = [row: number, status: string, more?: Partial<SeenCall>];
type Rows = number[];

/** An event of the journal, or something that is looked at: what it says is applied. */
type Step =
  | ['handed', wave: number, Rows, minutes?: number]
  | ['answered', wave: number, outcome: 'accepted' | 'unknown' | 'not_placed', minutes?: number]
  | ['called', row: number, Result, more?: Partial<Called>]
  | ['revised', row: number, Result, was: { result: Result; seconds: number }, more?: Partial<Called>]
  | ['others', row: number, minutes: number]
  | ['unseen' | 'excluded' | 'left', Rows, minutes?: number]
  | ['resumed' | 'recalled', minutes?: number]
  | [Halted['event'], minutes?: number, reason?: string]
  | ['see', Seen[], says: unknown[], now?: number, counted?: [row: number, minutes: number, 'own' | 'others'][]]
  | ['lasting', Seen[], seconds: number[], now: number]
  | ['overdue' | 'halts', now: number, says: unknown[]]
  | ['next', now: number, says: unknown[], ahead?: number]
  | ['lasts', seconds: number]
  | ['read', Logged[], events: string[], given?: Given]
  | ['whose', Logged[], { own?: unknown[]; others?: unknown[] }, given?: Given]
  | ['waves', Logged[], numbers: number[], second?: number]
  | ['free', Held[], now: number, at: number[]]
  | ['doubt', Seen, Held[], given?: 'answered' | 'not_answered']
  | ['dial', row: number, minutes: number, mark: keyof typeof DIAL_MARKS]
  | ['is', picture: object];

const cases = casesBeside(import.meta.filename)<[string, Setting, ...Step[]]>('steps');

test.each(cases)('%s', (_what, { contacts, inStates, rules = {}, hours, from = [FROM] }, ...steps) => {
  const all = typeof contacts === 'number' ? phones(contacts) : contacts.map((phone) => ({ phone }));
  const { end, firstLook } = rules;
  const own = { ...rules, ...(end !== undefined && { end: at(end) }) };
  const loaded = planInMemory({
    contacts: all.map(({ phone }, row) => ({ phone, place: hours?.[row] === undefined ? 0 : row })),
    from,
    rules: { ...own, ...(firstLook !== undefined && { firstLook: firstLook * MINUTE }) },
    hours: hours === undefined ? ALWAYS : dailyHours(...hours),
  });
  for (const [row, state] of inStates ? ROW_STATES.entries() : []) {
    loaded.roster.setWave(row, 1);
    loaded.roster.setAttempts(row, 1);
    loaded.roster.setState(row, state);
  }
  const planLog = new PlanLog(loaded);
  for (const step of steps) take(planLog, step);
  addUp(loaded);
});

function take(planLog: PlanLog, step: Step): void {
  const { loaded } = planLog;
  const apply = (events: readonly PlanEvent[]) => {
    for (const event of events) applyEvent(event, loaded, 7);
    return events.map(shortly);
  };
  switch (step[0]) {
    case 'see': {
      const [, calls, says, now = 60, counted = []] = step;
      const countedOf = (row: number) =>
        new Map(counted.flatMap(([one, minutes, whose]) => (one === row ? [[at(minutes), whose] as const] : [])));
      expect(apply(reconcileCalls(loaded, calls.map(seen), at(now), countedOf))).toEqual(said(says));
      break;
    }
    case 'lasting':
      expect(lastingOf(loaded, step[1].map(seen), at(step[3]))).toEqual(step[2]);
      break;
    case 'overdue':
    case 'halts':
      expect(apply((step[0] === 'halts' ? halts : overdue)(loaded, at(step[1])))).toEqual(said(step[2]));
      break;
    case 'next': {
      apply(overdue(loaded, at(step[1])));
      expect(inMinutes(nextOf(decide(loaded, { now: at(step[1]), ahead: (step[3] ?? 0) * MINUTE })))).toEqual(
        said(step[2]),
      );
      break;
    }
    case 'lasts':
      loaded.lasting = [step[1]];
      break;
    case 'read': {
      const { own, others } = planLog.whose(step[1], step[3]);
      apply(others);
      const calls = reconcileCalls(loaded, own, at(step[3]?.now ?? 60));
      apply(calls);
      expect([...others, ...calls].map(({ event }) => event)).toEqual(step[2]);
      break;
    }
    case 'whose': {
      const { own, others } = planLog.whose(step[1], step[3]);
      const calls = own.map((call) => ({ callId: undefined, ...call }));
      const dials = others.map((dial) => ({ sent: undefined, ...dial }));
      expect(inMinutes({ own: calls, others: dials })).toMatchObject(
        said({ own: [], others: [], ...step[2] }) as object,
      );
      break;
    }
    case 'waves':
      expect([...wavesIn(loaded, planLog.entries(step[1]), planLog.sent(step[3]))]).toEqual(step[2]);
      break;
    case 'free': {
      const until = pendingUntilOf(loaded, planLog.held(step[1]), at(step[2]));
      expect(inMinutes([0, 1, 2].map(until))).toEqual(step[3]);
      break;
    }
    case 'doubt': {
      const call = seen(step[1]);
      const { own, others } = withoutPending(loaded, { own: [call], others: [] }, planLog.held(step[2]));
      expect(own).toEqual(step[3] === undefined ? [call] : []);
      const { row, at: when } = call;
      expect(others).toEqual(step[3] === undefined ? [] : [{ event: 'others', at: when, row, sent: step[3] }]);
      break;
    }
    case 'dial':
      loaded.roster.addDial(step[1], at(step[2]), DIAL_MARKS[step[3]]);
      break;
    case 'is':
      expect(pictureOf(loaded)).toMatchObject(said(step[1]) as object);
      break;
    default:
      planLog.submit(step);
      apply([eventOf(step)]);
  }
}

/** What the log shows of a plan. */
class PlanLog {
  readonly loaded: LoadedPlan;
  /** The first of them has the last row first. */
  readonly #rows = new Map<number, Rows>();

  constructor(loaded: LoadedPlan) {
    this.loaded = loaded;
  }

  submit(step: Step): void {
    if (step[0] === 'handed') this.#rows.set(step[1], step[2]);
  }

  entries(log: readonly Logged[]): KeptEntry[] {
    return log.flatMap(([row, minutes, fields]) => {
      const number = `+${this.loaded.roster.phoneOf(row)}`;
      const call = {
        ...{ call_id: `call_${row}_${minutes}`, agent_id: 1, called_to: number, call_from: FROM, call_duration: 40 },
        ...{ call_status: 'completed', call_outcome: 'lead_qualified', transcript: 'Agent: Hi.' },
        ...{ timestamp: new Date(at(minutes)).toISOString(), ...fields },
      };
      return keptEntry(call as CallLogEntry, this.loaded, String) ?? [];
    });
  }

  /** The first wave as a campaign. */
  #launched(): Party {
    const rows = this.#rows.get(1) as Rows;
    const phones = Float64Array.from(rows, (row) => this.loaded.roster.phoneOf(row));
    const span = { from: NINE - 2_000, until: at(rows.length + 24 * 60) };
    return {
      ...{ agentId: 1, from: FROM, start: NINE, callsPerHour: 60, attempts: 1, retryDelay: 0, span },
      contacts: { phones, identifierOf: () => undefined },
    };
  }

  /** The first wave, and perhaps a second one of the same people. */
  sent(second?: number): Map<number, Party> {
    if (second === undefined) return new Map();
    const launched = this.#launched();
    const later = { ...launched, start: at(second), span: { from: at(second), until: at(second + 60) } };
    return new Map([
      [1, launched],
      [2, later],
    ]);
  }

  whose(log: readonly Logged[], given: Given = {}): Attributed {
    const { loaded } = this;
    const { others = [], isRefused, isPast, sentFrom, callsOnce = false, now = 60 } = given;
    const parties = others.map((one) => this.#partyOf(one));
    const waves = loaded.position.open.map((open) =>
      openWave(loaded, open, { rows: this.#rows.get(open.wave) as Rows, identifiers: [] }),
    );
    const span = spanOf({ start: NINE, interval: MINUTE, contacts: 3 });
    const callers: Callers = {
      waves: isPast ? [pastWave(loaded.roster, 1, this.#launched())] : waves,
      refused: isRefused ? [{ wave: 1, from: FROM, span, rows: () => new Set(this.#rows.get(1)) }] : [],
      others: parties,
      pending: others.flatMap(({ pendingUntil }, place) => {
        const { key, contacts, start, attempts, retryDelay } = parties[place] as SentParty;
        const until = at(pendingUntil ?? 0);
        const request = { key, phones: contacts.phones, start, interval: MINUTE, attempts, retryDelay, until };
        return pendingUntil === undefined ? [] : [{ ...request, isCertain: false }];
      }),
      sentAs: () => (sentFrom === undefined ? undefined : { from: sentFrom, start: NINE }),
      callsOnce,
    };
    return attribute(loaded, this.entries(log), callers, at(now));
  }

  held(all: readonly Held[]): Pending[] {
    return all.map(({ rows = [1, 2], start = 0, until = 60, interval = 10, retryDelay = 0, ...more }) => ({
      ...{ key: 1, start: at(start), until: at(until), interval: interval * MINUTE, attempts: 1, isCertain: false },
      ...{ retryDelay: retryDelay * MINUTE, ...more },
      phones: rows.map((row) => this.loaded.roster.phoneOf(row)),
    }));
  }

  #partyOf({ to, start, until, pendingUntil: _pending, ...more }: Sent): SentParty {
    const phones = Float64Array.of(this.loaded.roster.phoneOf(to));
    return {
      ...{ key: 9, agentId: 1, from: FROM, start: at(start), callsPerHour: 60, attempts: 1, retryDelay: 0 },
      ...{ campaignId: more.isSingleCall ? undefined : 90, contacts: { phones, identifierOf: () => undefined } },
      ...{ span: { from: at(start) - 2_000, until: at(until) }, ...more },
    };
  }
}

function nextOf(next: Decision): unknown[] {
  if (next.kind === 'wait') return [next.why, next.at];
  if (next.kind === 'halt') return [next.event.event, next.event.reason];
  return next.kind === 'wave' ? ['wave', next.rows.join(' ')] : [next.kind];
}

function eventOf(step: Extract<Step, [PlanEvent['event'] | 'recalled', ...unknown[]]>): PlanEvent {
  switch (step[0]) {
    case 'handed': {
      const [, wave, rows, minutes = 0] = step;
      return handed(wave, runsOf(rows), at(minutes));
    }
    case 'answered':
      return { event: 'answered', at: at(step[3] ?? 0), wave: step[1], outcome: step[2], campaign_id: 5 };
    case 'called':
      return called(step[1], step[2], step[3]);
    case 'revised':
      return { ...called(step[1], step[2], step[4]), event: 'revised', was: step[3] };
    case 'others':
      return { event: 'others', row: step[1], at: at(step[2]) };
    case 'unseen':
    case 'excluded':
    case 'left': {
      const [event, rows, minutes = 0] = step;
      return { event, at: at(minutes), rows: runsOf(rows), ...(event === 'excluded' && { why: 'list' }) } as PlanEvent;
    }
    case 'resumed':
    case 'recalled':
      return { event: 'resumed', at: at(step[1] ?? 0), ...(step[0] === 'recalled' && { recalls: true }) };
    default:
      return { event: step[0], at: at(step[1] ?? 0), reason: step[2] ?? 'because' };
  }
}

function called(row: number, result: Result, { at: minutes = row, ...more }: Partial<Called> = {}): Called {
  const status = result === 'reached' || result === 'voicemail' ? 'completed' : result;
  return { event: 'called', at: at(minutes), row, wave: 1, result, status, outcome: 'x', seconds: 61, ...more };
}

function seen([row, status, { at: minutes = row, ...more } = {}]: Seen): SeenCall {
  const call = { row, wave: 1, at: at(minutes), status, outcome: 'x', isVoicemail: false, seconds: 0 };
  return { ...call, isAmbiguous: false, ...more };
}

function shortly(event: PlanEvent): unknown {
  if (event.event === 'called') {
    const { row, result, call_id: id, recording_url: url, seconds, ambiguous } = event;
    return [`called ${row} ${result}`, ambiguous && 'perhaps', id, url, id && `${seconds} s`]
      .filter((part) => part !== undefined)
      .join(', ');
  }
  if ('reason' in event) return `${event.event}: ${event.reason}`;
  return 'rows' in event ? [event.event, event.rows] : event.event;
}

/** Patterns as what a text must be like. */
function said(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value);
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, said(part)]));
}

/** Instants as minutes after nine. */
function inMinutes(value: unknown): unknown {
  if (typeof value === 'number') return value > T0 / 2 && Number.isFinite(value) ? (value - NINE) / MINUTE : value;
  if (Array.isArray(value)) return value.map(inMinutes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inMinutes(part)]));
}

function pictureOf(loaded: LoadedPlan): unknown {
  const { roster, position } = loaded;
  const each = <T>(of: (row: number) => T) => Array.from({ length: roster.size }, (_none, row) => of(row));
  return inMinutes({
    ...{ ...position, states: each((row) => roster.stateOf(row)).join(' ') },
    ...{ tries: each((row) => roster.attemptsOf(row)), inWave: each((row) => roster.waveOf(row)) },
    ...{ due: each((row) => roster.dueOf(row)), dialled: each((row) => roster.dialOf(row, 0)) },
    ...{ uncharged: uncharged(loaded), affordable: affordable(loaded), marks: each((row) => roster.markOf(row, 0)) },
  });
}

/** Its counts are those of its contacts, and the same is known when it is read from its rows. */
function addUp(loaded: LoadedPlan): void {
  const { roster } = loaded;
  const again = new Roster(roster.size, roster.dials);
  for (let row = 0; row < roster.size; row++) {
    again.put(row, roster.phoneOf(row), 0);
    const { numbers, dials } = roster.recordOf(row);
    again.restore(row, [...numbers, ...dials], 0);
  }
  expect(pictureOf({ ...loaded, roster: again })).toEqual(pictureOf(loaded));
  const states = Array.from({ length: roster.size }, (_none, row) => roster.stateOf(row));
  for (const state of ROW_STATES) expect(roster.counts[state]).toBe(states.filter((found) => found === state).length);
}
