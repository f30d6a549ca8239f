/**
 * The reasons not to send a request: the same service was, or may have been, asked to call its phones before. The organization
 * does not matter, because the people who are called do not see it.
 */
import type { Sql } from '../database/sql.ts';
import { type Reason, reworded, UsageError, type VagentError } from '../errors.ts';
import type { Called } from './called.ts';
import {
  count,
  MAY_HAVE_BEEN_SENT,
  mayHaveBeenSent,
  redialTooOld,
  unknownCall,
  unknownCampaign,
  type Verb,
  WERE_SENT,
} from './objection-words.ts';
import { type Redial, redialPermission } from './redials.ts';
import { findRepeats, lastUnknownCall, lastUnknownCampaign, type Repeat, type Repeats } from './repeats.ts';
import { type Intent, isUnknown, type Past } from './requests.ts';

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
export interface Objection {
  /** The least permission that overrides it. */
  needs: keyof Permission;
  error: VagentError;
}

/** What a campaign is compared with leads to. */
export interface Judgement {
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
  if (intent.operation === 'triggerCall') return { objections: await toCall(sql, one, intent.request.called_to) };
  return await toCampaign(sql, await repeatsOf(sql, one), one);
}

/** Which contacts of a campaign were sent to its service before. */
export async function repeatsOf(sql: Sql, { intent, called: { phones } }: Case): Promise<Repeats> {
  return await findRepeats(sql, intent.service, phones);
}

/** A phone in an accepted campaign may also be called directly; one in a campaign of unknown outcome may not. */
async function toCall(sql: Sql, { intent, called }: Case, calledTo: string): Promise<Objection[]> {
  const { service } = intent;
  const phone = called.phones[0] as number;
  const call = await lastUnknownCall(sql, service, phone);
  if (call?.sent.operation === 'triggerCall') return [{ needs: 'force', error: unknownCall(call.sent, intent) }];
  const before = await lastUnknownCampaign(sql, service, phone);
  if (before === undefined) return [];
  return [{ needs: 'force', error: unknownCampaign({ before, count: 1, first: [phone] }, calledTo, intent) }];
}

async function toCampaign(sql: Sql, { repeats }: Repeats, { intent, called, now }: Case): Promise<Judgement> {
  const counted = (some: readonly Repeat[], verb: Verb) => count(some, verb, intent, called);
  const [unknown, accepted] = [
    repeats.filter(({ before }) => isUnknown(before)),
    repeats.filter(({ before }) => !isUnknown(before)),
  ];
  const found: Objection[] = [];
  if (unknown[0] !== undefined) {
    const reason = mayHaveBeenSent(unknown[0].before.sent, intent);
    const { sentence, issues } = counted(unknown, MAY_HAVE_BEEN_SENT);
    const code = unknown.every(({ before }) => isCall(before)) ? 'unknown_call' : 'unknown_campaign';
    found.push({ needs: 'force', error: new UsageError(sentence, { code, reason, issues }) });
  }
  const before = accepted.map((repeat) => repeat.before);
  const permission =
    accepted.length === 0 ? undefined : await redialPermission(sql, intent, called.phones, { before, now });
  const redial = permission?.isTooOld ? undefined : permission?.redial;
  if (accepted.length > 0 && redial === undefined) {
    const reason: Reason = permission === undefined ? { kind: 'was_sent' } : redialTooOld(permission.redial);
    const { sentence, issues } = counted(accepted, WERE_SENT);
    found.push({ needs: 'again', error: new UsageError(sentence, { code: 'repeated_campaign', reason, issues }) });
  }
  return { objections: found, redial };
}

function isCall({ sent }: Past): boolean {
  return sent.operation === 'triggerCall';
}
