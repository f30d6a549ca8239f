/** Plays a plan on the local engine, in memory. It names no campaign in its log, but a test can see which one dials. */
import { checkRequest, type DocumentedCall, type RequestOf } from '../../../src/contract.ts';
import { type Attempt, type Call, placeCall } from '../../../src/engine/calls.ts';
import { advanceWith } from '../../../src/engine/campaigns.ts';
import { handlers, type Reads } from '../../../src/engine/handlers.ts';
import { MemoryQueues } from '../../../src/engine/pace.ts';
import { withAnswerRate } from '../../../src/engine/scenario.ts';
import { callsSinceReset, initialState, type State } from '../../../src/engine/state.ts';
import { EPOCH } from '../engine.ts';
import type { Dial, DialOwner, Plan } from './plan.ts';

type Placed = DocumentedCall & { attempt: Attempt };

export function playOnEngine(plan: Plan, seed: number): Dial[] {
  const state = startingState(plan, seed);
  const queues = new Map<number, MemoryQueues>();
  const dials: Dial[] = [];
  const keep = (placed: Placed, owner: DialOwner) => {
    const to = ownerContact(plan, owner);
    const { call_id: callId, agent_id: agentId, call_from: from, call_status: status, call_outcome: outcome } = placed;
    const at = Date.parse(placed.timestamp);
    dials.push({ callId, at, agentId, from, to, status, outcome, duration: placed.call_duration, owner });
  };
  const advanceTo = (until: number | 'idle') => {
    const played = advanceWith(observed, state, until, (id) => queues.get(id) as MemoryQueues);
    for (const placed of played) {
      const { id, contact, attempt } = placed.attempt;
      keep(placed, { campaign: id - 1, row: contact, attempt });
    }
  };
  for (const { sentAt, send } of sends(plan, state, queues, keep)) {
    advanceTo(sentAt);
    send({ now: sentAt });
  }
  advanceTo('idle');
  return dials;
}

function sends(
  plan: Plan,
  state: State,
  queues: Map<number, MemoryQueues>,
  keep: (placed: Placed, owner: DialOwner) => void,
) {
  const campaigns = plan.campaigns.map(({ sentAt, ...campaign }, nth) => ({
    sentAt,
    send: (reads: Reads) => {
      const { agentId: agent_id, from: call_from, contacts, startTime, retries, retryDelay } = campaign;
      const request: RequestOf<'createCampaign'> = {
        campaign_name: `Campaign ${nth}`,
        ...{ agent_id, call_from, contacts, calls_per_hour: campaign.callsPerHour },
        ...{ retry_attempts: retries, retry_delay: retryDelay },
        ...(startTime === undefined ? {} : { start_time: new Date(startTime).toISOString() }),
      };
      const { response } = handlers.createCampaign(state, required('createCampaign', request), reads);
      queues.set(response.campaign_id, new MemoryQueues((row) => contacts[row] as (typeof contacts)[number]));
    },
  }));
  const calls = plan.calls.map(({ sentAt, ...call }, nth) => ({
    sentAt,
    send: (reads: Reads) => {
      const { agentId, from, to } = call;
      const id = callsSinceReset(state) + 1;
      const { effects } = handlers.triggerCall(
        state,
        required('triggerCall', {
          ...{ use_agent_id: agentId, called_to: to.phone_number, call_from: from, custom_first_line: 'Hello' },
          custom_identifiers: to.custom_identifiers ?? '',
        }),
        reads,
      );
      const attempt: Attempt = { stream: 'call', id, contact: 0, attempt: 1, calledTo: to.phone_number };
      keep({ ...(effects?.call as DocumentedCall), attempt }, { call: nth });
    },
  }));
  return [...campaigns, ...calls].toSorted((left, right) => left.sentAt - right.sentAt);
}

function startingState({ agents, answerRate, calls, campaigns }: Plan, seed: number): State {
  const begin = Math.min(EPOCH, ...[...calls, ...campaigns].map(({ sentAt }) => sentAt)) - 1;
  const state = initialState({ seed, now: begin, empty: false });
  state.organization.balance = Number.MAX_SAFE_INTEGER;
  state.scenario = withAnswerRate(state.scenario, answerRate);
  const [demo] = state.agents;
  if (demo !== undefined) state.agents = agents.map((agent_id) => ({ ...demo, agent_id }));
  return state;
}

/** The engine's own calls, each with the attempt that it is. */
function observed(state: State, call: Call, attempt: Attempt): Placed {
  return { ...placeCall(state, call, attempt), attempt };
}

function required<K extends 'createCampaign' | 'triggerCall'>(operation: K, request: RequestOf<K>) {
  const checked = checkRequest(operation, request);
  if (!checked.ok) throw new Error(`${operation}: ${JSON.stringify(checked.issues)}`);
  return checked.value;
}

export function ownerContact({ campaigns, calls }: Plan, owner: DialOwner): Dial['to'] {
  const contact = 'call' in owner ? calls[owner.call]?.to : campaigns[owner.campaign]?.contacts[owner.row];
  if (contact === undefined) throw new Error('A call of nobody.');
  return contact;
}
