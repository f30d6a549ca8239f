/**
 * The reasons not to send a request: the same service was, or may have been, asked to call its phones before. The organization
 * does not matter, because the people who are called do not see it.
 */
import { isToContacts, traceOf } from '../contract.ts';
import { type Issue, type Reason, reworded, UsageError, type VagentError } from '../errors.ts';
import type { Sql } from '../storage/database/sql.ts';
import { counted, plural } from '../text/numbers.ts';
import { localTime } from '../text/time.ts';
import type { Called } from './contact-rows.ts';
import { type Redial, redialPermission } from './redials.ts';
import { findRepeats, lastUnknown, type Repeat } from './repeats.ts';
import { type Intent, isCampaign, isUnknown, type Past } from './requests.ts';
import { phrasesFor } from './ringing.ts';

/** What the operator allows. */
export interface Permission {
  /** Calling phones of accepted campaigns again. */
  again?: boolean | undefined;
  /** Sending in any case. */
  force?: boolean | undefined;
}

/** A request that is about to be sent, and whom it calls. */
export interface Case {
  intent: Intent;
  called: Called;
  /** Milliseconds since the epoch, by this machine's clock. */
  now: number;
}

/** One reason not to send. */
interface Objection {
  /** The least permission that overrides it. */
  needs: keyof Permission;
  error: VagentError;
}

/** What a request is compared with leads to. */
interface Judgement {
  /** The most serious first. */
  objections: Objection[];
  /** The list to call people again by which campaigns that were sent before it do not object. */
  redial?: Redial | undefined;
}

/** Throws the first reason that the operator does not override. */
export function refuse(found: readonly Objection[], { again, force }: Permission): void {
  const refused = found.find(({ needs }) => !force && !(needs === 'again' && again));
  if (refused === undefined) return;
  const { error } = refused;
  throw reworded(error, { message: `${error.message} Nothing was sent.` });
}

/** Inside of the transaction that records the request, nobody sends the same meanwhile. */
export async function judge(sql: Sql, one: Case): Promise<Judgement> {
  const { intent } = one;
  if (!isToContacts(intent)) return { objections: await toCall(sql, one, traceOf(intent).to) };
  return await toCampaign(sql, one);
}

/** A phone in an accepted campaign may also be called directly; one in a campaign of unknown outcome may not. */
async function toCall(sql: Sql, { intent, called }: Case, calledTo: string): Promise<Objection[]> {
  const before = await lastUnknown(sql, intent.service, called.phones[0] as number);
  if (before === undefined) return [];
  if (!isToContacts(before.sent)) {
    const { to, agentId, from } = traceOf(before.sent);
    const what = `agent ${agentId}, from ${from}${elsewhere(before, intent)}`;
    const sentence = `The last call to ${to} (${timeOf(before)}, ${what}) may have been placed: its outcome is unknown.`;
    return [doubt(before, intent, sentence)];
  }
  const campaign = `${timeOf(before)} ${nameOf(before, intent)}`;
  return [doubt(before, intent, `${calledTo} may be called by a campaign: ${campaign}; its outcome is unknown.`)];
}

async function toCampaign(sql: Sql, { intent, called, now }: Case): Promise<Judgement> {
  const { repeats } = await findRepeats(sql, intent.service, called.phones);
  const unknown = repeats.filter(({ before }) => isUnknown(before));
  const accepted = repeats.filter(({ before }) => !isUnknown(before));
  const objections: Objection[] = [];
  if (unknown[0] !== undefined) {
    const { sentence, issues } = count(unknown, intent, called);
    const isOfCampaign = unknown.some(({ before }) => isCampaign(before));
    objections.push(doubt(unknown[0].before, intent, sentence, issues, isOfCampaign));
  }
  if (accepted.length === 0) return { objections };
  const before = accepted.map((repeat) => repeat.before);
  const permission = await redialPermission(sql, intent, called.phones, { before, now });
  if (permission?.isTooOld === false) return { objections, redial: permission.redial };
  const { sentence, issues } = count(accepted, intent, called);
  const reason: Reason = permission === undefined ? { kind: 'was_sent' } : tooOld(permission.redial);
  objections.push({ needs: 'again', error: new UsageError(sentence, { code: 'repeated_campaign', reason, issues }) });
  return { objections };
}

/** Something of unknown outcome was sent before. */
function doubt(
  before: Past,
  intent: Intent,
  sentence: string,
  issues?: Issue[],
  isOfCampaign = isCampaign(before),
): Objection {
  const { sent } = before;
  const organizationId = sent.organization_id === intent.organization_id ? undefined : sent.organization_id;
  const earlier = { trace: traceOf(sent), at: Date.parse(sent.at), organizationId };
  const reason: Reason = { kind: 'may_have_been_sent', isCampaign: isToContacts(intent), ...earlier };
  const code = isOfCampaign ? 'unknown_campaign' : 'unknown_call';
  return { needs: 'force', error: new UsageError(sentence, { code, reason, issues }) };
}

/** Why people of a list to call again are not called by it. */
function tooOld({ at, campaigns }: Redial): Reason {
  return { kind: 'redial_too_old', at, campaignIds: campaigns.map(({ campaign_id }) => campaign_id) };
}

// The sentences -------------------------------------------------------------------------------------------------------

/** A sentence that counts the numbers, and the earlier requests one by one: all accepted, or all of unknown outcome. */
function count(repeats: readonly Repeat[], intent: Intent, { phones }: Called): { sentence: string; issues: Issue[] } {
  const known = repeats.reduce((sum, repeat) => sum + repeat.count, 0);
  const whole = phones.length === 1 ? 'This number' : `These ${phones.length} numbers`;
  const who = known === phones.length ? whole : `${known} of these ${phones.length} numbers`;
  const issues = repeats.map((repeat) => ({
    field: counted(repeat.count, 'number'),
    message: describe(repeat, intent),
  }));
  const where = issues.length === 1 ? `: ${issues[0]?.message}` : '';
  const wasSent = repeats.some(({ before }) => isUnknown(before)) ? 'may have been' : plural(known, 'was', 'were');
  return { sentence: `${who} ${wasSent} sent before${where}.`, issues };
}

/** `2026-11-20 09:00:00 +00:00 as "Spring", campaign 91 (+14155550190, +14155550191 and 3 more)`. */
function describe({ before, count, first }: Repeat, intent: Intent): string {
  const numbers = first.map((phone) => `+${phone}`).join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const doubt = isUnknown(before) ? '; its outcome is unknown' : '';
  return `${timeOf(before)} ${nameOf(before, intent)} (${numbers}${more})${doubt}`;
}

/** Named like the list of an exclusion. */
export function listName(past: Past): string {
  return phrasesFor(past.sent, idOf(past)).asList;
}

function nameOf(before: Past, intent: Intent): string {
  return `${phrasesFor(before.sent, idOf(before)).before}${elsewhere(before, intent)}`;
}

function idOf({ answer, outcome }: Past): string | undefined {
  return outcome === 'accepted' ? String(answer?.campaign_id) : undefined;
}

/** Names the other organization if the earlier request was for one. */
function elsewhere({ sent: { organization_id } }: Past, intent: Intent): string {
  return organization_id === intent.organization_id ? '' : `, organization ${organization_id}`;
}

/** In this machine's time zone. */
function timeOf({ sent: { at } }: Past): string {
  return localTime(Date.parse(at));
}
