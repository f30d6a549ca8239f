/** Finds out what became of waves whose sending was cut off: no other process can be sending one while the plan is locked. */
import type { Answered } from '../../../plans/events.ts';
import type { OpenWave } from '../../../plans/plan.ts';
import type { PlanSession } from '../../../plans/rows/session.ts';
import type { SentRequests } from './sent-requests.ts';

/** `at` stands in the events. */
export async function recoverWaves(session: PlanSession, sent: SentRequests, at: number): Promise<void> {
  const { plan, position } = session.loaded;
  const events = position.open
    .filter(({ outcome }) => outcome === 'sending')
    .map((open) => ({ event: 'answered', at, wave: open.wave, ...becameOf(open, sent, plan.isLocal) }) as Answered);
  await session.commit(events);
}

function becameOf(
  { wave }: OpenWave,
  { waves }: SentRequests,
  isLocal: boolean,
): Pick<Answered, 'outcome' | 'campaign_id' | 'message'> {
  // What the service said stands beside the register's reply, in one transaction: there is none.
  if (!isLocal) return { outcome: 'unknown', message: 'The program was stopped while it was sent.' };
  // The store of the local engine has every campaign that was created, and no other.
  if (!waves.has(wave)) return { outcome: 'not_placed', message: 'It was not created.' };
  const campaignId = waves.get(wave)?.campaignId;
  return { outcome: 'accepted', ...(campaignId !== undefined && { campaign_id: campaignId }) };
}
