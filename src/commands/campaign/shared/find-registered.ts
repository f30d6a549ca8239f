/** Finds a campaign that was sent to a real service, also one of unknown outcome. */
import type { Context } from '../../../context.ts';
import { NotFoundError, UsageError } from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import type { Register } from '../../../register/register.ts';
import type { Past, SentCampaign } from '../../../register/requests.ts';
import { askCampaign, type CampaignWord, pickCampaign } from '../../shared/pick-campaign.ts';
import { requireRemembered } from '../../shared/remembered.ts';

type Registered = Past<SentCampaign>;

/** Throws NotFoundError, UsageError, and the error of a row that cannot be read. */
export async function findRegistered(
  word: CampaignWord | undefined,
  register: Register,
  { io, flags, settings }: Context,
): Promise<Registered> {
  const target = settings.target();
  const { campaigns: all, damage } = await register.campaigns(
    target.mode === 'remote' ? target.name : '',
    settings.requireOrganization(),
  );
  // What is named may be lost.
  if (damage !== undefined) throw damage;
  const isForgotten = ({ sent }: Registered) => sent.forgotten !== undefined;
  const campaigns = all.filter((one) => !isForgotten(one));
  const list = `vagent campaign list${connectionFlags(flags)}`;
  const known = campaigns.flatMap((one) => {
    const { campaign_id } = one.answer ?? {};
    const { campaign_name } = one.sent.request;
    return typeof campaign_id === 'number' ? [{ campaign_id, campaign_name, at: Date.parse(one.sent.at), one }] : [];
  });
  if (word === undefined && !io.canAsk) throw new UsageError('Missing: <campaign>.', { hint: list });
  if (word === undefined && known.length === 0)
    throw new NotFoundError('There is no campaign that was created from here.', { hint: list });
  const meant = word ?? (await askCampaign(known, io));
  const advice = { where: 'that was created from here', list };
  const isHere = known.some(({ campaign_id, campaign_name }) => campaign_id === meant || campaign_name === meant);
  const unknown = unknownCalled(meant, campaigns);
  if (!isHere && unknown === undefined) requireRemembered(meant, all.filter(isForgotten));
  return unknown ?? pickCampaign(meant, known, advice).one;
}

/** The one campaign of a name if the service has not named it, so that it has no id. */
function unknownCalled(word: CampaignWord, campaigns: readonly Registered[]): Registered | undefined {
  const [only, ...more] = campaigns.filter(({ sent }) => sent.request.campaign_name === word);
  return more.length === 0 && typeof only?.answer?.campaign_id !== 'number' ? only : undefined;
}
