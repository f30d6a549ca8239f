/** What an event does to a plan in memory. */
import { isOptOut } from '../../register/do-not-call.ts';
import { callingWindowsOf } from './calendar.ts';
import { costOf, withoutWave, withWave } from './capacity.ts';
import { type Called, type EventOf, type Halted, type PlanEvent, type Revised, rowsOf } from './events.ts';
import { isOfBudget } from './halts.ts';
import { isOver, type LoadedPlan, type PlanMoment, type Position } from './plan.ts';
import { DIAL_MARKS, type DialMark, type Roster, type RowState } from './roster.ts';
import { endOf, hasWave, intervalOf, withCall } from './waves.ts';

/** When a contact is due that is never called again, although its state is not final: a call of it is still awaited. */
const NEVER = Number.POSITIVE_INFINITY;

export function newPosition(): Position {
  return {
    ...{ state: 'open', reason: '', waves: 0, open: [], nextStart: 0, attempts: 0, spent: 0, longest: 0, latest: [] },
    ...{ hasPassedCanary: false, given: [] },
  };
}

/** Changes `loaded`; nothing else does. `journalAt`: the number of the event. */
export function applyEvent(event: PlanEvent, loaded: LoadedPlan, journalAt: number): void {
  const apply = DOES[event.event] as (event: PlanEvent, loaded: LoadedPlan, journalAt: number) => void;
  apply(event, loaded, journalAt);
}

const DOES: {
  [Kind in PlanEvent['event']]: (event: EventOf<Kind>, loaded: LoadedPlan, journalAt: number) => void;
} = {
  ...{ handed: submit, answered: reply, called: call, revised: revise, unseen: stopWaiting, resumed: resume },
  others: (event, { roster }) => addDial(roster, event.row, event.at, markOf(event)),
  unclear({ row, wave }, { roster }) {
    if (roster.isAwaitedIn(row, wave)) roster.setUnclear(row, true);
  },
  edited: edit,
  ...{ excluded: finish, left: finish, stopped: halt, waiting: halt, cancelled: halt, done: halt },
  notified({ until, told }, { position }) {
    // Whoever wants to be told from now on wants to know of a plan that waits for somebody already.
    const first = isOver(position.state) ? undefined : haltOf(position);
    position.moments = (position.moments ?? (first === undefined ? [] : [first])).slice(told);
    position.toldUntil = until;
  },
};

function finish({ event, rows }: EventOf<'excluded' | 'left'>, { roster }: LoadedPlan): void {
  for (const row of rowsOf(rows)) if (roster.isWaiting(row)) roster.setState(row, event);
}

function halt({ event, reason }: Halted, { position }: LoadedPlan): void {
  const isNews = position.state !== event;
  position.state = event;
  position.reason = reason;
  if (isNews) keepMoment(position, haltOf(position));
}

/** So many, if somebody wanted to be told once, and nobody does any more. */
const MOST_MOMENTS = 100;

function keepMoment(position: Position, moment: PlanMoment | undefined): void {
  if (position.moments === undefined || moment === undefined) return;
  position.moments = [...position.moments, moment].slice(-MOST_MOMENTS);
}

/** Undefined of a plan that goes on. */
function haltOf({ state, reason }: Pick<Position, 'state' | 'reason'>): PlanMoment | undefined {
  if (state === 'open') return undefined;
  return { moment: state === 'stopped' && isOfBudget(reason) ? 'budget' : state, reason };
}

// Waves --------------------------------------------------------------------------------------------------------------

function submit(event: EventOf<'handed'>, { plan, position, roster }: LoadedPlan, journalAt: number): void {
  const { wave, from, start, interval, rows, entry } = event;
  const rowsSent = [...rowsOf(rows)];
  for (const row of rowsSent) {
    roster.setWave(row, wave);
    roster.setAttempts(row, roster.attemptsOf(row) + 1);
    roster.setUnclear(row, false);
    roster.setState(row, 'handed');
  }
  const contacts = rowsSent.length;
  position.waves = wave;
  const open = { wave, from, start, interval, contacts };
  position.open.push({ ...open, unsettled: contacts, outcome: 'sending', entry, journalAt });
  position.nextStart = endOf(open);
  position.given = withWave({ plan, position }, { from, at: start, contacts });
}

function reply({ wave, outcome, campaign_id }: EventOf<'answered'>, { position, roster }: LoadedPlan): void {
  const open = position.open.find((candidate) => candidate.wave === wave);
  if (open === undefined) return;
  if (outcome !== 'not_placed') {
    open.outcome = outcome;
    open.campaignId = campaign_id;
    return;
  }
  for (let row = 0; row < roster.size; row++) {
    if (roster.stateOf(row) !== 'handed' || roster.waveOf(row) !== wave) continue;
    const attempts = roster.attemptsOf(row) - 1;
    roster.setAttempts(row, attempts);
    setOutcome(roster, row, attempts > 0 ? 'again' : 'new');
  }
  position.open = position.open.filter((candidate) => candidate !== open);
  position.notPlaced = (position.notPlaced ?? 0) + 1;
  if (wave === position.waves) position.nextStart = open.start;
  position.given = withoutWave(position.given, open);
}

function reconcileOne(position: Position, wave: number): void {
  for (const open of position.open) if (open.wave === wave) open.unsettled -= 1;
  const left = position.open.filter(({ unsettled }) => unsettled > 0);
  if (left.length < position.open.length) keepMoment(position, { moment: 'wave_ended', wave });
  position.open = left;
}

// Contacts -----------------------------------------------------------------------------------------------------------

function call(event: Called, loaded: LoadedPlan): void {
  const { plan, position, roster } = loaded;
  count(event, loaded);
  addDial(roster, event.row, event.at, DIAL_MARKS.own);
  const { row, wave } = event;
  const isOut = isOptOut(event.outcome, plan.rules.optOut);
  const state = roster.stateOf(row);
  if (roster.isAwaitedIn(row, wave)) {
    const next = isOut ? 'excluded' : stateAfter(event, loaded);
    if (next === 'again') roster.setDue(row, Math.max(roster.dueOf(row), dueAfter(event, loaded) as number));
    setOutcome(roster, row, next);
    roster.setUnclear(row, false);
    if (state === 'handed') {
      if (!event.ambiguous) keepPace(event, loaded);
      reconcileOne(position, wave);
    }
  } else {
    roster.seeRecalled(row, wave);
    comeLate(event, loaded, isOut);
  }
  if (isOut) neverCallPhone(roster, row);
}

function keepPace({ wave, at }: Called, { plan, position }: LoadedPlan): void {
  const open = position.open.find((candidate) => candidate.wave === wave);
  const slow = open && withCall(position.slow, open, at, plan.rules);
  if (slow !== undefined && slow.length > 0) position.slow = slow;
}

/** A call of a wave that has news of this contact already, or that the contact was recalled from. */
function comeLate(event: Called | Revised, loaded: LoadedPlan, isOut: boolean): void {
  const { roster } = loaded;
  const { row, result, wave } = event;
  const state = roster.stateOf(row);
  if (!isOut && result !== 'reached') {
    const due = dueAfter(event, loaded);
    // What came of the last wave decides, although somebody went on without knowing it.
    if (state === 'again' && due === undefined && roster.waveOf(row) === wave) roster.setState(row, 'exhausted');
    else if (state === 'again') roster.setDue(row, Math.max(roster.dueOf(row), due ?? 0));
  } else if (state === 'handed') roster.setDue(row, NEVER);
  else if (isOut) roster.setState(row, 'excluded');
  else if (state !== 'excluded') roster.setState(row, 'reached');
}

/** What was said of the call before counts no more, and the attempt is the same one. */
function revise(event: Revised, loaded: LoadedPlan): void {
  const { plan, position, roster } = loaded;
  const { row, at, result, seconds, was } = event;
  position.spent += costOf(seconds, plan.rules) - costOf(was.seconds, plan.rules);
  position.longest = Math.max(position.longest, seconds);
  const latest = position.latest.lastIndexOf(was.result);
  if (latest !== -1) position.latest[latest] = result;
  const isOut = isOptOut(event.outcome, plan.rules.optOut);
  if (!isOut && isLastNews(event, roster)) {
    const next = stateAfter(event, loaded);
    if (next === 'again') {
      const isDueByIt = roster.dueOf(row) === dueAfter({ at, result: was.result }, loaded);
      const due = dueAfter(event, loaded) as number;
      roster.setDue(row, isDueByIt ? due : Math.max(roster.dueOf(row), due));
    }
    setOutcome(roster, row, next);
  } else comeLate(event, loaded, isOut);
  if (isOut) neverCallPhone(roster, row);
}

/** Whether the state of the contact follows from this call: of its last wave, and not of one that came late. */
function isLastNews({ row, wave, was }: Revised, roster: Roster): boolean {
  const state = roster.stateOf(row);
  const follows = state === 'again' || state === 'exhausted' || (state === 'reached' && was.result === 'reached');
  return follows && roster.waveOf(row) === wave;
}

function count({ at, result, seconds }: Called, { plan, position }: LoadedPlan): void {
  const { stopOn } = plan.rules;
  position.attempts += 1;
  position.spent += costOf(seconds, plan.rules);
  position.longest = Math.max(position.longest, seconds);
  position.firstCall = Math.min(position.firstCall ?? at, at);
  position.lastCall = Math.max(position.lastCall ?? at, at);
  if (stopOn === undefined) return;
  position.latest.push(result);
  if (position.latest.length > stopOn.over) position.latest.splice(0, position.latest.length - stopOn.over);
}

function stateAfter(event: Pick<Called, 'row' | 'at' | 'result'>, loaded: LoadedPlan): RowState {
  if (event.result === 'reached') return 'reached';
  const isLast = loaded.roster.attemptsOf(event.row) >= loaded.plan.rules.maxAttempts;
  return isLast || dueAfter(event, loaded) === undefined ? 'exhausted' : 'again';
}

function dueAfter({ at, result }: Pick<Called, 'at' | 'result'>, { plan }: LoadedPlan): number | undefined {
  const delay = result === 'reached' ? undefined : plan.rules.retry[result];
  return delay === undefined ? undefined : Math.ceil(at + delay);
}

/** Somebody talked on this phone in a call that came late: whatever comes of the call that is awaited, it is the last one. */
function setOutcome(roster: Roster, row: number, state: RowState): void {
  const isOver = roster.dueOf(row) === NEVER && state !== 'excluded';
  roster.setState(row, isOver ? 'reached' : state);
}

function addDial(roster: Roster, row: number, at: number, mark?: DialMark): void {
  for (const same of roster.rowsLike(row)) roster.addDial(same, at, mark);
}

export function markOf({ sent }: Pick<EventOf<'others'>, 'sent'>): DialMark {
  if (sent === undefined) return DIAL_MARKS.none;
  return sent === 'answered' ? DIAL_MARKS.connected : DIAL_MARKS.sent;
}

function neverCallPhone(roster: Roster, row: number): void {
  for (const same of roster.rowsLike(row)) {
    if (roster.isWaiting(same)) roster.setState(same, 'excluded');
  }
}

/** A call that nobody saw may have been made, at the latest by the end of its wave: so it counts for gaps and caps. */
function stopWaiting({ rows }: EventOf<'unseen'>, { position, roster }: LoadedPlan): void {
  const ends = new Map(position.open.map((open) => [open.wave, endOf(open)]));
  for (const row of rowsOf(rows)) {
    if (roster.stateOf(row) !== 'handed') continue;
    const wave = roster.waveOf(row);
    const end = ends.get(wave);
    if (end !== undefined) addDial(roster, row, end);
    setOutcome(roster, row, 'unseen');
    reconcileOne(position, wave);
  }
}

/** What was submitted by the rules of before keeps its pace. */
function edit({ rules, frees = [], over = [], spent }: EventOf<'edited'>, loaded: LoadedPlan): void {
  const { plan, position, roster } = loaded;
  const interval = intervalOf(plan.rules);
  if (interval !== intervalOf(rules)) position.given = position.given.map((wave) => ({ interval, ...wave }));
  position.latest = rules.stopOn === undefined ? [] : position.latest.slice(-rules.stopOn.over);
  if (spent !== undefined) position.spent = spent;
  loaded.plan = { ...plan, rules };
  loaded.windows = callingWindowsOf(rules, plan.places);
  for (let at = 0; at < frees.length; at += 2) {
    const row = frees[at] as number;
    roster.setDue(row, frees[at + 1] as number);
    roster.setState(row, 'again');
  }
  for (const row of rowsOf(over)) roster.setState(row, 'exhausted');
}

// The plan -----------------------------------------------------------------------------------------------------------

function resume({ at, recalls, rows = [] }: EventOf<'resumed'>, { plan, position, roster }: LoadedPlan): void {
  const isCanaryOver = position.state !== 'open' && hasWave(position) && position.open.length === 0;
  if (position.state === 'waiting' || isCanaryOver) position.hasPassedCanary = true;
  position.state = 'open';
  position.reason = '';
  position.latest = [];
  if (!recalls) return;
  const named = new Set(rowsOf(rows));
  for (let row = 0; row < roster.size; row++) {
    if (roster.stateOf(row) !== 'unseen' || (roster.isUnclear(row) && !named.has(row))) continue;
    const isLast = roster.attemptsOf(row) >= plan.rules.maxAttempts;
    if (!isLast) roster.setDue(row, Math.max(roster.dueOf(row), at));
    roster.setState(row, isLast ? 'exhausted' : 'again');
    roster.recall(row);
  }
}
