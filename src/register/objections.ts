/**
 * The reasons not to send a request: the same service was, or may have been, asked to call its phones before. The organization
 * does not matter, because the people who are called do not see it.
 */
import { type Reason, reworded, UsageError, type VagentError } from '../errors.ts';
import { phoneKeyOfDigits } from '../text/phone.ts';
import { type Earlier, isUnknown } from './ledger.ts';
import type { Intent } from './lines.ts';
import {
  count,
  MAY_HAVE_BEEN_SENT,
  mayHaveBeenSent,
  redialTooOld,
  unknownCall,
  unknownCampaign,
  unreadable,
  type Verb,
  WERE_SENT,
} from './objection-words.ts';
import { redialPermission } from './redial-permission.ts';
import type { Redial } from './redials.ts';
import type { Register, Standing } from './register.ts';
import type { Callees, Repeat, Repeats } from './repeats.ts';

/** What the operator allows. */
export interface Permission {
  /** Calling phones of accepted campaigns again. */
  again?: boolean | undefined;
  /** Sending in any case, even if earlier requests cannot be read. */
  force?: boolean | undefined;
}

/** A request that is about to be sent, and what it is compared with. */
export interface Case {
  intent: Intent;
  /** The phones that it calls. */
  callees: Callees;
  register: Register;
}

/** One reason not to send. */
export interface Objection {
  /** The least permission that overrides it. */
  needs: keyof Permission;
  /** A UsageError, or a FileError if the register cannot be read well enough to decide. */
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

export function judge(standing: Standing, one: Case): Judgement {
  if (standing.damage !== undefined) return { objections: [{ needs: 'force', error: standing.damage }] };
  const { intent } = one;
  if (intent.operation === 'triggerCall') return { objections: toCall(standing, one, intent.request.called_to) };
  return toCampaign(findRepeats(standing, one), one);
}

/** Which contacts of a campaign were sent to its service before. */
export function findRepeats({ ledger }: Standing, { intent, callees, register }: Case): Repeats {
  const calls = ledger.unknownCallsTo(intent.service).map((sent) => ({ sent }));
  const campaigns = ledger.remembered(intent.service).filter((before) => !isFirstPart(before, intent));
  return callees.repeatsOf([...campaigns, ...calls], (before) => phonesOf(before, register));
}

/** A list in which numbers may come twice can have one of them in each part. */
function isFirstPart(before: Earlier, intent: Intent): boolean {
  return intent.operation === 'createCampaign' && before.sent.entry === intent.part_of && !isUnknown(before);
}

function phonesOf({ sent }: Earlier, register: Register): Float64Array {
  if (sent.operation === 'createCampaign') return register.phonesOf(sent);
  return Float64Array.of(phoneKeyOfDigits(Number(sent.request.called_to.slice(1))));
}

/** A phone in an accepted campaign may also be called directly; one in a campaign of unknown outcome may not. */
function toCall({ ledger }: Standing, { intent, callees, register }: Case, calledTo: string): Objection[] {
  const { service } = intent;
  const call = ledger.unknownCall(service, calledTo);
  if (call !== undefined) return [{ needs: 'force', error: unknownCall(call, intent) }];
  const campaigns = ledger.remembered(service);
  const oldest = campaigns.findIndex(isUnknown);
  if (oldest === -1) return [];
  const { repeats, lost } = callees.repeatsOf(campaigns.slice(oldest), (before) => phonesOf(before, register));
  return [
    ...repeats.filter(({ before }) => isUnknown(before)).map((repeat) => unknownCampaign(repeat, calledTo, intent)),
    ...lost.filter(({ before }) => isUnknown(before)).map((one) => unreadable(one, register)),
  ].map((error) => ({ needs: 'force', error }));
}

function toCampaign({ repeats, lost }: Repeats, { intent, callees, register }: Case): Judgement {
  const counted = (some: readonly Repeat[], verb: Verb) => count(some, verb, intent, callees);
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
  const unread = lost.map(
    ({ before, error }): Objection => ({
      needs: isUnknown(before) ? 'force' : 'again',
      error: unreadable({ before, error }, register),
    }),
  );
  found.push(...unread.filter(({ needs }) => needs === 'force'));
  const permission =
    accepted.length === 0
      ? undefined
      : redialPermission(intent, callees.called.phones, {
          before: accepted.map(({ before }) => before),
          redials: register.redials(),
          now: register.now(),
        });
  const redial = permission?.isTooOld ? undefined : permission?.redial;
  if (accepted.length > 0 && redial === undefined) {
    const reason: Reason = permission === undefined ? { kind: 'was_sent' } : redialTooOld(permission.redial);
    const { sentence, issues } = counted(accepted, WERE_SENT);
    found.push({ needs: 'again', error: new UsageError(sentence, { code: 'repeated_campaign', reason, issues }) });
  }
  found.push(...unread.filter(({ needs }) => needs === 'again'));
  return { objections: found, redial };
}

function isCall({ sent }: Earlier): boolean {
  return sent.operation === 'triggerCall';
}
