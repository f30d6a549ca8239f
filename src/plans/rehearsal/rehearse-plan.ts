/** A rehearsal of a plan: when it would end, what it would cost and what would come of its contacts, before anybody is called. */
import { VOICEMAIL } from '../../engine/conversation.ts';
import { fromMicros } from '../../engine/money.ts';
import { isWithinCalendar } from '../../engine/policy.ts';
import { spreadOf } from '../../engine/rehearsal.ts';
import type { SimulatedCall, Simulation } from '../../engine/simulation.ts';
import type { Campaign } from '../../engine/state.ts';
import { ServiceError } from '../../errors.ts';
import { isoTime, isoTimeOrNull } from '../../text/iso.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { DAY } from '../../text/units.ts';
import { reconcileCalls, type SeenCall } from '../log/attempts.ts';
import { applyEvent } from '../rules/apply.ts';
import { type Decision, decide, type Wave } from '../rules/decide.ts';
import { type PlanEvent, runsOf } from '../rules/events.ts';
import { halts, overdue } from '../rules/halts.ts';
import { type Pending, pendingCampaign, pendingUntilOf } from '../rules/pending.ts';
import type { LoadedPlan, OpenWave } from '../rules/plan.ts';
import { shownCounts } from '../rules/roster.ts';
import { unseenAt, waveNamed } from '../rules/waves.ts';
import { type Rehearsed, waveRequest } from './stage.ts';

export type PlanRehearsal = ReturnType<typeof rehearsePlan> extends Generator<void, infer Report> ? Report : never;

/**
 * Plays a plan `runs` times and reports the first run, and how much the runs differ. Yields after each step, so that the caller
 * may stop. Run k (the first is 0) uses the engine's random seed plus k, so run 0 is what the local engine would do. Times are UTC
 * ISO 8601, money is a decimal number.
 */
export function* rehearsePlan(rehearsed: Rehearsed, runs: number) {
  const { seed } = rehearsed.engine.state;
  const first = yield* playPlan(rehearsed, seed);
  const { plan_id, contacts } = rehearsed.loaded.plan;
  const { counts, stopped = null } = first;
  const played = [first];
  for (let run = 1; run < runs; run++) {
    // A run's waves have all its contacts.
    played.push({ ...(yield* playPlan(rehearsed, seed + run)), waves: [] });
  }
  const { last_call: finish, attempts, cost } = spreadOf(played);
  return {
    plan_id,
    // All of the plan; by their states they add up to it.
    contacts,
    // Those that are still to come, as are the attempts and the cost.
    waves: first.waves.length,
    attempts: first.attempts,
    reached: counts.reached,
    not_reached: counts.not_reached,
    no_result: counts.no_result + counts.calling,
    excluded: counts.excluded,
    // Whom the plan would not call any more.
    not_called: counts.not_called + counts.waiting,
    // Null, like the time of the last call, if nobody would be called.
    first_call: isoTimeOrNull(first.firstCall),
    finish: isoTimeOrNull(first.lastCall),
    cost: fromMicros(first.cost),
    runs,
    // Why the plan would be stopped before its end, if it would, and in how many of the runs.
    stopped,
    stopped_runs: played.filter((run) => run.stopped !== undefined).length,
    ...(runs > 1 && { percentiles: { finish, attempts, cost } }),
    wave_list: first.waves.map(({ wave, start, rows, from }) => {
      return { wave, start: isoTime(start), contacts: rows.length, from };
    }),
    // The rehearsal goes on at once.
    waits_after_canary: first.wasResumed,
  };
}

/** Attempts and cost are those that were still to come; contacts are all. */
type Played = ReturnType<Run['played']>;

/** A plan that nothing has happened to for so long never goes on. */
const MOST_IDLE = 400 * DAY;

/**
 * Plays a plan once, from where it stands, as `plan run` would run it on the local engine. Milliseconds and millionths. `seed` is
 * that of the engine's random draws.
 */
function* playPlan(rehearsed: Rehearsed, seed: number): Generator<void, Played> {
  const run = new Run(rehearsed, seed);
  let active = run.now;
  for (;;) {
    run.reconcile();
    if (run.loaded.position.state !== 'open') break;
    const decision = run.decide();
    if (decision.kind === 'wave') {
      run.submit(decision);
      active = run.now;
    } else if (decision.kind === 'wait') {
      if (!isWithinCalendar(decision.at) || decision.at > active + MOST_IDLE) break;
      run.advance(decision.at);
    } else break;
    yield;
  }
  // Calls of a wave that was submitted come although the plan was stopped.
  for (let open = run.loaded.position.open[0]; open !== undefined; open = run.loaded.position.open[0]) {
    run.advance(Math.max(run.now, isWithinCalendar(unseenAt(open)) ? unseenAt(open) : run.now));
    run.reconcileCalls();
    yield;
    if (run.loaded.position.open[0] === open) break;
  }
  return run.played();
}

class Run {
  readonly loaded: LoadedPlan;
  now: number;
  readonly #engine: Simulation;
  readonly #pending: readonly Pending[];
  /** Campaigns that are not of the plan. */
  readonly #others: readonly Campaign[];
  /** By the number of their campaign. */
  readonly #waves = new Map<number, { wave: number; rows: readonly number[] }>();
  /** Made since the last reconciliation. */
  readonly #calls: SimulatedCall[] = [];
  readonly #played = {
    waves: [] as { wave: number; start: number; from: string; rows: readonly number[] }[],
    ...{ attempts: 0, cost: 0 },
    firstCall: undefined as number | undefined,
    lastCall: undefined as number | undefined,
    /** Whether the plan waited after its canary, and was resumed at once. */
    wasResumed: false,
  };

  constructor({ loaded, now, engine, pending, open }: Rehearsed, seed: number) {
    this.loaded = { ...loaded, position: structuredClone(loaded.position), roster: loaded.roster.copy() };
    this.now = now;
    this.#engine = engine.copy(seed);
    this.#pending = pending;
    const { campaigns } = this.#engine.state;
    this.#others = campaigns.filter(({ campaign_name }) => waveNamed(campaign_name, loaded.plan) === undefined);
    const { state } = this.loaded.position;
    // Whoever rehearses a plan that stands still wants to know what comes when it goes on.
    if (state === 'stopped' || state === 'waiting') this.#apply([{ event: 'resumed', at: now }]);
    for (const { wave, rows, campaign } of open) {
      if (campaign !== undefined) this.#takeOver(wave, rows, campaign);
      else this.#apply([{ event: 'answered', at: now, wave: wave.wave, outcome: 'not_placed' }]);
    }
    this.advance(now);
  }

  /** Of a wave that was submitted before, the calls that were made until now: they depend on nothing but their keys. */
  #takeOver(open: OpenWave, rows: readonly number[], { campaign_number: id, agent_id, next_contact }: Campaign): void {
    this.#waves.set(id, { wave: open.wave, rows });
    const agent = this.#engine.state.agents.find((one) => one.agent_id === agent_id);
    if (agent === undefined) return;
    for (const [contact, row] of rows.slice(0, next_contact).entries()) {
      if (this.loaded.roster.stateOf(row) !== 'handed') continue;
      const at = open.start + Math.floor(contact * open.interval);
      const attempt = { stream: 'campaign', id, contact, attempt: 1, calledTo: this.#numberOf(row) } as const;
      this.#calls.push(this.#engine.settled({ agent, at }, attempt));
    }
  }

  /** What is due before a decision. */
  reconcile(): void {
    this.reconcileCalls();
    this.#apply(halts(this.loaded, this.now));
    if (this.loaded.position.state !== 'waiting') return;
    this.#played.wasResumed = true;
    this.#apply([{ event: 'resumed', at: this.now }]);
  }

  /** Believes what the log shows. */
  reconcileCalls(): void {
    const seen: SeenCall[] = [];
    for (const call of this.#calls.splice(0)) {
      const { attempt } = call;
      const own = this.#waves.get(attempt.id);
      if (own !== undefined) {
        this.#played.cost += call.cost;
        const { at, call_status: status, call_outcome: outcome, call_duration: seconds } = call;
        const row = own.rows[attempt.contact] as number;
        const isVoicemail = outcome === VOICEMAIL;
        seen.push({ row, wave: own.wave, at, status, outcome, seconds, isVoicemail, isAmbiguous: false });
      } else {
        const [row] = this.loaded.roster.rowsOfPhone(phoneKeyOfNumber(attempt.calledTo));
        if (row !== undefined) this.#apply([{ event: 'others', at: call.at, row }]);
      }
    }
    const events = reconcileCalls(this.loaded, seen, this.now);
    for (const event of events) if (event.event === 'called') this.#count(event.at);
    this.#apply(events);
    this.#apply(overdue(this.loaded, this.now));
  }

  decide(): Decision {
    const { loaded, now } = this;
    const pending = [...this.#pending];
    for (const campaign of this.#others) {
      if (campaign.status === 'completed') continue;
      // Which it has still to call.
      const phones = new Set(Array.from(this.#engine.waitingIn(campaign), phoneKeyOfNumber));
      pending.push(pendingCampaign(campaign, now, phones));
    }
    return decide(loaded, pending.length === 0 ? { now } : { now, pendingUntil: pendingUntilOf(loaded, pending, now) });
  }

  submit({ from, start, interval, rows }: Wave): void {
    const { plan, position } = this.loaded;
    const wave = position.waves + 1;
    const sent = { event: 'handed', at: this.now, wave, from, start, interval, rows: runsOf(rows) } as const;
    this.#apply([sent]);
    const request = waveRequest(plan, { wave, from, start, contacts: rows.length });
    const contactAt = (index: number) => ({ phone_number: this.#numberOf(rows[index] as number) });
    try {
      const { campaign_id, campaign_number } = this.#engine.create(request, this.now, { contactAt });
      this.#waves.set(campaign_number, { wave, rows });
      this.#apply([{ event: 'answered', at: this.now, wave, outcome: 'accepted', campaign_id }]);
      this.#played.waves.push({ wave, start, from, rows });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#apply([
        { event: 'answered', at: this.now, wave, outcome: 'not_placed' },
        { event: 'stopped', at: this.now, reason: error.message },
      ]);
    }
    this.advance(this.now);
  }

  advance(until: number): void {
    for (const call of this.#engine.advance(until)) this.#calls.push(call);
    this.now = until;
  }

  played() {
    const { state, reason } = this.loaded.position;
    /** Why the plan was stopped before its end. */
    const stopped = state === 'stopped' ? reason : undefined;
    return { ...this.#played, counts: shownCounts(this.loaded.roster.counts), stopped };
  }

  #numberOf(row: number): string {
    return `+${this.loaded.roster.phoneOf(row)}`;
  }

  #count(at: number): void {
    const { firstCall = at, lastCall = at } = this.#played;
    this.#played.attempts += 1;
    this.#played.firstCall = Math.min(firstCall, at);
    this.#played.lastCall = Math.max(lastCall, at);
  }

  #apply(events: readonly PlanEvent[]): void {
    for (const event of events) applyEvent(event, this.loaded, 0);
  }
}
