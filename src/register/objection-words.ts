/** The sentences that give the reasons not to send a request. */
import { type Issue, type Reason, UsageError } from '../errors.ts';
import { localTime } from '../text/time.ts';
import type { Called } from './called.ts';
import type { Redial } from './redials.ts';
import type { Repeat } from './repeats.ts';
import { type Intent, isUnknown, type Past, type SentCall, type SentLine } from './requests.ts';

/** For one number and for several. */
export type Verb = readonly [one: string, several: string];
export const WERE_SENT: Verb = ['was sent before', 'were sent before'];
export const MAY_HAVE_BEEN_SENT: Verb = ['may have been sent before', 'may have been sent before'];

/** A sentence that counts the numbers, and the earlier requests one by one. */
export function count(
  repeats: readonly Repeat[],
  [one, several]: Verb,
  intent: Intent,
  { phones }: Called,
): { sentence: string; issues: Issue[] } {
  const known = repeats.reduce((sum, repeat) => sum + repeat.count, 0);
  const whole = phones.length === 1 ? 'This number' : `These ${phones.length} numbers`;
  const who = known === phones.length ? whole : `${known} of these ${phones.length} numbers`;
  const issues = repeats.map((repeat) => ({
    field: repeat.count === 1 ? '1 number' : `${repeat.count} numbers`,
    message: describe(repeat, intent),
  }));
  const where = issues.length === 1 ? `: ${issues[0]?.message}` : '';
  return { sentence: `${who} ${known === 1 ? one : several}${where}.`, issues };
}

/** `2026-11-20 09:00:00 +00:00 as "Spring", campaign 91 (+14155550190, +14155550191 and 3 more)`. */
function describe({ before, count, first }: Repeat, intent: Intent): string {
  const numbers = first.map((phone) => `+${phone}`).join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const doubt = isUnknown(before) ? '; its outcome is unknown' : '';
  return `${timeOf(before.sent)} ${nameOf(before, intent)} (${numbers}${more})${doubt}`;
}

/** Named like the list of an exclusion. */
export function listName({ sent, outcome, answer }: Past): string {
  if (sent.operation === 'triggerCall') return `Call of unknown outcome to ${sent.request.called_to}`;
  const name = JSON.stringify(sent.request.campaign_name);
  return outcome === 'accepted' ? `Campaign ${answer?.campaign_id} ${name}` : `Campaign of unknown outcome ${name}`;
}

function nameOf({ sent, answer, outcome }: Past, intent: Intent): string {
  if (sent.operation === 'triggerCall')
    return `in a call of agent ${sent.request.use_agent_id}${elsewhere(sent, intent)}`;
  const id = outcome === 'accepted' ? `, campaign ${answer?.campaign_id}` : '';
  return `as ${JSON.stringify(sent.request.campaign_name)}${id}${elsewhere(sent, intent)}`;
}

export function unknownCall(sent: SentCall, intent: Intent): UsageError {
  const { called_to, use_agent_id, call_from } = sent.request;
  return new UsageError(
    `The last call to ${called_to} (${timeOf(sent)}, agent ${use_agent_id}, from ${call_from}${elsewhere(sent, intent)}) may have been placed: its outcome is unknown.`,
    { code: 'unknown_call', reason: mayHaveBeenSent(sent, intent) },
  );
}

export function unknownCampaign({ before }: Repeat, calledTo: string, intent: Intent): UsageError {
  const { sent } = before;
  return new UsageError(
    `${calledTo} may be called by a campaign: ${timeOf(sent)} ${nameOf(before, intent)}; its outcome is unknown.`,
    { code: 'unknown_campaign', reason: mayHaveBeenSent(sent, intent) },
  );
}

/** Why `intent` is refused: something of unknown outcome was sent before. */
export function mayHaveBeenSent(sent: SentLine, intent: Intent): Reason {
  const earlier = { sent, at: Date.parse(sent.at), organizationId: otherOrganization(sent, intent) };
  return { kind: 'may_have_been_sent', earlier, isCampaign: intent.operation === 'createCampaign' };
}

/** Why people of a list to call again are not called by it. */
export function redialTooOld({ at, campaigns }: Redial): Reason {
  return { kind: 'redial_too_old', at, campaignIds: campaigns.map(({ campaign_id }) => campaign_id) };
}

/** Undefined if both requests are of one organization. */
function otherOrganization({ organization_id }: SentLine, intent: Intent): number | undefined {
  return organization_id === intent.organization_id ? undefined : organization_id;
}

/** Names the other organization if the earlier request was for one. */
function elsewhere(sent: SentLine, intent: Intent): string {
  const other = otherOrganization(sent, intent);
  return other === undefined ? '' : `, organization ${other}`;
}

/** In this machine's time zone. */
function timeOf({ at }: SentLine): string {
  return localTime(Date.parse(at));
}
