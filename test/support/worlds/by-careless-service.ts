/**
 * Plays a plan on a service that keeps to what the interface says and to nothing else: contacts in any order, calls at odd times
 * below the hourly maximum, several lines at once, retries long after their delay, slow starts.
 */
import type { Chance } from './chance.ts';
import type { Dial, Plan, PlannedCampaign } from './plan.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Of completed calls that a machine took. */
export const MACHINES = ['voicemail_left', 'Answering machine'];
const OUTCOMES = ['appointment_scheduled', 'Lead Qualified', 'not interested', 'callback', ...MACHINES];

export function playCarelessly(plan: Plan, chance: Chance): Dial[] {
  const dials = plan.campaigns.flatMap((campaign, nth) => playCampaign(campaign, nth, plan.answerRate, chance.fork()));
  for (const [nth, { sentAt, agentId, from, to }] of plan.calls.entries()) {
    const own = chance.fork();
    const at = sentAt + Math.floor(own.next() * own.pick([2, 20, 150]) * SECOND);
    dials.push({
      callId: nameOf(own),
      at,
      agentId,
      from,
      to,
      ...drawnResult(plan.answerRate, own),
      owner: { call: nth },
    });
  }
  return dials;
}

interface Waiting {
  row: number;
  attempt: number;
  due: number;
}

function playCampaign(campaign: PlannedCampaign, nth: number, answerRate: number, chance: Chance): Dial[] {
  const { agentId, from, contacts, sentAt, startTime, callsPerHour, retries, retryDelay } = campaign;
  const spacing = HOUR / callsPerHour;
  const lines = chance.integer(1, Math.min(callsPerHour, 4));
  const lateness = chance.pick([5 * SECOND, 3 * MINUTE, HOUR, 3 * HOUR]);
  const start = startTime ?? sentAt + chance.integer(0, 4 * SECOND);
  let slot = start + Math.floor(chance.next() * chance.pick([SECOND, 90 * SECOND]));
  let waiting: Waiting[] = contacts.map((_contact, row) => ({ row, attempt: 1, due: start }));
  const dials: Dial[] = [];
  while (waiting.length > 0) {
    const next = Math.min(...waiting.map(({ due }) => due));
    slot = Math.max(slot, next);
    const due = chance.shuffled(waiting.filter((one) => one.due <= slot)).slice(0, lines);
    for (const { row, attempt } of due) {
      const at = Math.floor(slot + chance.next() * Math.min(SECOND, spacing / 10));
      const result = drawnResult(answerRate, chance);
      const to = contacts[row] as Dial['to'];
      dials.push({ callId: nameOf(chance), at, agentId, from, to, ...result, owner: { campaign: nth, row, attempt } });
      waiting = waiting.filter((one) => one.row !== row);
      if (result.status === 'completed' || attempt > retries) continue;
      // Some services count the delay from the end of a call.
      const rest = at + (retryDelay + result.duration) * SECOND + Math.floor(chance.next() * lateness);
      waiting.push({ row, attempt: attempt + 1, due: rest });
    }
    slot += due.length * spacing * (1 + chance.next() * 0.3);
  }
  return dials;
}

function drawnResult(answerRate: number, chance: Chance): Pick<Dial, 'status' | 'outcome' | 'duration'> {
  if (chance.happens(answerRate)) {
    return { status: 'completed', outcome: chance.pick(OUTCOMES), duration: chance.integer(1, 400) };
  }
  return {
    status: chance.pick(['busy', 'no_answer', 'no_answer', 'failed']),
    outcome: '',
    duration: chance.integer(0, 30),
  };
}

function nameOf(chance: Chance): string {
  return `c-${Math.floor(chance.next() * 2 ** 32).toString(36)}${Math.floor(chance.next() * 2 ** 32).toString(36)}`;
}
