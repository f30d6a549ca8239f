/** Finds out what became of waves whose sending was cut off: no other process can be sending one while the plan is locked. */
import type { Context } from '../../../context.ts';
import { FileError } from '../../../errors.ts';
import type { Answered } from '../../../plans/events.ts';
import type { PlanSession } from '../../../plans/folder/session.ts';
import type { OpenWave } from '../../../plans/plan.ts';
import type { SentRequests } from './sent-requests.ts';

/** `at` stands in the journal. Throws FileError if the register knows waves that the plan does not. */
export async function recoverWaves(
  session: PlanSession,
  sent: SentRequests,
  context: Context,
  at: number,
): Promise<void> {
  const { plan, position } = session.loaded;
  await endIntents(position.waves, sent, context);
  const events = position.open
    .filter(({ outcome }) => outcome === 'sending')
    .map((open) => ({ event: 'answered', at, wave: open.wave, ...becameOf(open, sent, plan.isLocal) }) as Answered);
  await session.commit(events);
}

/** A request that the journal does not know was never sent: it is written there first. */
async function endIntents(waves: number, { entries }: SentRequests, context: Context): Promise<void> {
  for (const { sent, outcome } of entries) {
    if ((sent.plan?.wave ?? 0) <= waves) continue;
    if (outcome === undefined) {
      const register = await context.register.open();
      const message = 'The program was stopped before it sent this.';
      await register.end(sent.entry, { outcome: 'not_sent', answer: { message } });
    } else if (outcome === 'accepted' || outcome === 'unknown') {
      const plan = sent.plan?.id;
      throw new FileError(
        `Plan ${plan} is damaged: wave ${sent.plan?.wave} was sent, and its journal ends before that.`,
        {
          code: 'plan_damaged',
          hint: 'An old copy of its folder may have been put back. Nothing was sent. Cancel the plan, and make a new one of those who are left.',
        },
      );
    }
  }
}

function becameOf(
  { wave, entry }: OpenWave,
  { entries, waves }: SentRequests,
  isLocal: boolean,
): Pick<Answered, 'outcome' | 'campaign_id' | 'message'> {
  const campaignId = waves.get(wave)?.campaignId;
  const accepted = { outcome: 'accepted', ...(campaignId !== undefined && { campaign_id: campaignId }) } as const;
  // The store of the local engine has every campaign that was created, and no other.
  if (isLocal) return waves.has(wave) ? accepted : { outcome: 'not_placed', message: 'It was not created.' };
  const outcome = entries.find(({ sent }) => sent.entry === entry)?.outcome;
  if (outcome === 'accepted') return accepted;
  if (outcome === 'refused' || outcome === 'not_sent') return { outcome: 'not_placed', message: 'It was refused.' };
  return { outcome: 'unknown', message: 'The program was stopped while it was sent.' };
}
