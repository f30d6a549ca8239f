/** Plays a plan once, from where it stands, as `plan run` would run it on the local engine. Milliseconds and millionths. */
import { isVoicemail } from '../calls/attribution/states.ts';
import type { CheckedRequest } from '../contract.ts';
import { isWithinCalendar } from '../engine/policy.ts';
import type { Campaign } from '../engine/state.ts';
import { ServiceError } from '../errors.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { applyEvent } from './apply.ts';
import { type Called, type PlanEvent, runsOf } from './events.ts';
import { freeAtOf } from './free-at.ts';
import type { LoadedPlan, OpenWave } from './plan.ts';
import { type Decision, decide, type Wave } from './planner.ts';
import { type RehearsedCall, RehearsedEngine, type Stage } from './rehearsed-engine.ts';
import type { ContactState } from './roster.ts';
import { halts, overdue, type SeenCall, settle } from './settle.ts';
import { waveName } from './wave-name.ts';
import { unseenAt } from './waves.ts';

/** A plan, and what is known besides. It can be played any number of times, because playing does not change it. */
export interface Rehearsed {
  loaded: LoadedPlan;
  stage: Stage;
  /** Open waves: their contacts in their order, and their campaigns in the stage's state, if they are there. */
  open: { wave: OpenWave; rows: readonly number[]; campaign: Campaign | undefined }[];
}

/** Attempts and cost are those that were still to come; contacts are all. */
export interface Played {
  counts: Record<ContactState, number>;
  waves: PlayedWave[];
  attempts: number;
  firstCall: number | undefined;
  lastCall: number | undefined;
  cost: number;
  /** Why the plan was stopped before its end. */
  stopped: string | undefined;
  /** Whether the plan waited after its canary, and was resumed at once. */
  wasResumed: boolean;
}

export interface PlayedWave {
  wave: number;
  start: number;
  from: string;
  rows: readonly number[];
}

/** A plan that nothing has happened to for so long never goes on. */
const MOST_IDLE = 400 * 24 * 3_600_000;

/** `seed` is that of the engine's random draws; `onCall` is told of each call of the plan, when the plan learns of it. */
export interface PlayOptions {
  seed: number;
  onCall?: (call: Called) => void;
}

/** Yields after each step, so that the caller may stop. */
export function* playPlan(rehearsed: Rehearsed, { seed, onCall = () => {} }: PlayOptions): Generator<void, Played> {
  const run = new Run(rehearsed, seed, onCall);
  let active = run.now;
  for (;;) {
    run.look();
    if (run.loaded.position.state !== 'open') break;
    const decision = run.decide();
    if (decision.kind === 'wave') {
      run.handOver(decision);
      active = run.now;
    } else if (decision.kind === 'wait') {
      if (!isWithinCalendar(decision.at) || decision.at > active + MOST_IDLE) break;
      run.advance(decision.at);
    } else break;
    yield;
  }
  // Calls of a wave that was handed over come although the plan was stopped.
  for (let open = run.loaded.position.open[0]; open !== undefined; open = run.loaded.position.open[0]) {
    run.advance(Math.max(run.now, isWithinCalendar(unseenAt(open)) ? unseenAt(open) : run.now));
    run.settle();
    yield;
    if (run.loaded.position.open[0] === open) break;
  }
  return run.played();
}

class Run {
  readonly loaded: LoadedPlan;
  now: number;
  readonly #engine: RehearsedEngine;
  #calls: RehearsedCall[] = [];
  readonly #onCall: (call: Called) => void;
  readonly #waves: PlayedWave[] = [];
  #attempts = 0;
  #cost = 0;
  #firstCall: number | undefined;
  #lastCall: number | undefined;
  #wasResumed = false;

  constructor({ loaded, stage, open }: Rehearsed, seed: number, onCall: (call: Called) => void) {
    this.#onCall = onCall;
    this.loaded = copyOf(loaded);
    this.now = stage.now;
    this.#engine = new RehearsedEngine(stage, seed, (row) => `+${this.loaded.roster.phoneOf(row)}`);
    const { state } = this.loaded.position;
    // Whoever rehearses a plan that stands still wants to know what comes when it goes on.
    if (state === 'stopped' || state === 'waiting') this.#apply([{ event: 'resumed', at: this.now }]);
    for (const { wave, rows, campaign } of open) {
      const calls = this.#engine.takeOver(wave, rows, campaign);
      if (calls !== undefined) this.#calls.push(...calls.filter((call) => this.#isAwaited(call)));
      else this.#apply([{ event: 'answered', at: this.now, wave: wave.wave, outcome: 'not_placed' }]);
    }
    this.#calls.push(...this.#engine.advance(this.now));
  }

  /** What is due before a decision. */
  look(): void {
    this.settle();
    this.#apply(halts(this.loaded, this.now));
    if (this.loaded.position.state !== 'waiting') return;
    this.#wasResumed = true;
    this.#apply([{ event: 'resumed', at: this.now }]);
  }

  /** Believes what the log shows. */
  settle(): void {
    const calls = this.#calls;
    this.#calls = [];
    const seen: SeenCall[] = [];
    const others: PlanEvent[] = [];
    for (const call of calls) {
      if (call.own !== undefined) seen.push(seenCall(call, call.own));
      else {
        const [row] = this.loaded.roster.rowsOfPhone(phoneKeyOfNumber(call.calledTo));
        if (row !== undefined) others.push({ event: 'others', at: call.at, row });
      }
    }
    this.#apply(others);
    const events = settle(this.loaded, seen, this.now);
    this.#count(events, calls);
    this.#apply(events);
    this.#apply(overdue(this.loaded, this.now));
  }

  decide(): Decision {
    const busy = this.#engine.busy(this.now);
    const { now } = this;
    return decide(this.loaded, busy.length === 0 ? { now } : { now, freeAt: freeAtOf(this.loaded, busy, now) });
  }

  handOver({ from, start, interval, rows }: Wave): void {
    const wave = this.loaded.position.waves + 1;
    const sent = { event: 'handed', at: this.now, wave, from, start, interval, rows: runsOf(rows) } as const;
    this.#apply([sent]);
    try {
      const campaign_id = this.#engine.create(this.#request(from, start, rows), { wave, rows }, this.now);
      this.#apply([{ event: 'answered', at: this.now, wave, outcome: 'accepted', campaign_id }]);
      this.#waves.push({ wave, start, from, rows });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#apply([
        { event: 'answered', at: this.now, wave, outcome: 'not_placed' },
        { event: 'stopped', at: this.now, reason: error.message },
      ]);
    }
    this.#calls.push(...this.#engine.advance(this.now));
  }

  advance(until: number): void {
    this.#calls.push(...this.#engine.advance(until));
    this.now = until;
  }

  played(): Played {
    const { state, reason } = this.loaded.position;
    return {
      counts: { ...this.loaded.roster.counts },
      waves: this.#waves,
      attempts: this.#attempts,
      firstCall: this.#firstCall,
      lastCall: this.#lastCall,
      cost: this.#cost,
      stopped: state === 'stopped' ? reason : undefined,
      wasResumed: this.#wasResumed,
    };
  }

  #isAwaited({ own }: RehearsedCall): boolean {
    return own !== undefined && this.loaded.roster.stateOf(own.row) === 'handed';
  }

  #request(callFrom: string, start: number, rows: readonly number[]): CheckedRequest<'createCampaign'> {
    const { plan } = this.loaded;
    return {
      campaign_name: waveName(plan, this.loaded.position.waves),
      agent_id: plan.agent_id,
      call_from: callFrom,
      // The handler only counts them; the engine's queue has their numbers.
      contacts: { length: rows.length } as CheckedRequest<'createCampaign'>['contacts'],
      start_time: new Date(start).toISOString(),
      calls_per_hour: plan.rules.callsPerHour,
      retry_attempts: 0,
      retry_delay: 0,
    };
  }

  #count(events: readonly PlanEvent[], calls: readonly RehearsedCall[]): void {
    for (const event of events) {
      if (event.event !== 'called') continue;
      this.#onCall(event);
      this.#attempts += 1;
      this.#firstCall = Math.min(this.#firstCall ?? event.at, event.at);
      this.#lastCall = Math.max(this.#lastCall ?? event.at, event.at);
    }
    for (const { own, cost } of calls) if (own !== undefined) this.#cost += cost;
  }

  #apply(events: readonly PlanEvent[]): void {
    for (const event of events) applyEvent(event, this.loaded, 0);
  }
}

function copyOf({ position, roster, ...loaded }: LoadedPlan): LoadedPlan {
  return { ...loaded, position: structuredClone(position), roster: roster.copy() };
}

function seenCall({ at, status, outcome, duration }: RehearsedCall, own: { wave: number; row: number }): SeenCall {
  const { row, wave } = own;
  return { row, wave, at, status, outcome, isVoicemail: isMachine(outcome), seconds: duration, isAmbiguous: false };
}

/** The engine has few outcomes, and a rehearsal asks for them a million times. */
const machines = new Map<string, boolean>();

function isMachine(outcome: string): boolean {
  const known = machines.get(outcome) ?? isVoicemail({ call_outcome: outcome });
  machines.set(outcome, known);
  return known;
}
