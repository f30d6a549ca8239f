/** A campaign that was forgotten is still listed, but nobody knows any more whom it called. */
import { NotFoundError } from '../../errors.ts';
import type { Past, SentCampaign } from '../../register/requests.ts';
import { cell } from '../../terminal/output.ts';
import { localTime } from '../../text/time.ts';
import type { CampaignWord } from './pick-campaign.ts';

export type ForgottenCampaign = Past<SentCampaign>;

/** Throws NotFoundError if the word means one of the campaigns that were forgotten. */
export function requireRemembered(word: CampaignWord | undefined, forgotten: readonly ForgottenCampaign[]): void {
  const gone = forgotten.find(({ sent, answer }) =>
    typeof word === 'number' ? answer?.campaign_id === word : sent.request.campaign_name === word,
  );
  if (gone === undefined) return;
  const { sent, answer } = gone;
  const id = typeof answer?.campaign_id === 'number' ? `${answer.campaign_id} ` : '';
  const when = localTime(Date.parse(sent.forgotten ?? ''));
  throw new NotFoundError(
    `Campaign ${id}${JSON.stringify(cell(sent.request.campaign_name))} was forgotten (${when}): whom it called is not kept here.`,
    { code: 'campaign_forgotten', hint: 'Its calls are in the log of the service: vagent logs list.' },
  );
}
