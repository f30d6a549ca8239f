/**
 * The guards. Every request that rings phones passes here on its way to a service. Whoever opted out is called by
 * nothing. What goes to a real service is recorded in the transaction in which nothing of what was sent before objects
 * to it; then it is sent, and completed when it has ended.
 */
import {
  type CheckedContacts,
  type Contact,
  checkRequest,
  isToContacts,
  type RequestOf,
  type Sent,
  traceOf,
} from '../contract.ts';
import { type CallTrace, inFull, leavesOutcomeUnknown, ServiceError, VagentError } from '../errors.ts';
import type { Sql } from '../storage/database/sql.ts';
import { originalOf } from '../text/json.ts';
import type { KeptRows } from '../text/kept-rows.ts';
import type { Notes } from '../text/notes.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { masked } from '../text/redact.ts';
import { type Called, calledBy } from './contact-rows.ts';
import { mustBeChosenAnew, type OptedOut, refuseOptedOut } from './do-not-call.ts';
import { type Case, judge, listName, type Permission, refuse } from './objections.ts';
import { endingKey, type Keyed, keepKey, type Once, replayed, requireUnused } from './once.ts';
import type { Register } from './register.ts';
import { findRepeats, glanceAt, lastEntry, type Repeat } from './repeats.ts';
import { type Ended, type Intent, isCampaign, type PlannedWave, type Reply, type Send } from './requests.ts';
import { numbersOf, phrasesFor } from './ringing.ts';
import { serviceKey } from './service-key.ts';

/** The operator's choices for one command's requests. */
export interface Sending extends Permission {
  /** The file of the contacts: its name as given, and the SHA-256 of its bytes. */
  contactsFile?: { name: string; sha256: string } | undefined;
  /** The original row of each contact, in the order of the contacts. */
  rows?: KeptRows | undefined;
  /**
   * The wave of a plan that a campaign is. It repeats calls by the plan's own rules, so nothing objects to that; it is refused if
   * something was sent that the plan had not seen when it chose the wave.
   */
  plan?: PlannedWave | undefined;
  /** Part of the transaction that records the request: what it throws undoes all of it, and nothing is sent. */
  withIntent?: ((sql: Sql, entry: number) => Promise<void>) | undefined;
  /** The key under which it is carried out once. */
  once?: Once | undefined;
  /** Part of the transaction that records how the request ended. */
  withReply?: ((sql: Sql, ended: Ended) => Promise<void>) | undefined;
}

export interface Recording extends Omit<Notes, 'progress'> {
  register: Register;
  optedOut: OptedOut;
  /** The base URL. */
  service: string;
  organizationId: number;
  /** `user@host`. */
  by: string;
  /** Milliseconds by which the service's clock was ahead of this machine's at its last answer; undefined if none had a date. */
  clockAhead: () => number | undefined;
}

/**
 * To the local engine: of what was sent before, nothing objects. A request that the contract refuses is none that calls
 * somebody.
 */
export async function heeding<R extends Reply>(sent: Sent, send: Send<R>, list: OptedOut, { plan }: Sending) {
  if (checkRequest(sent.operation, sent.request).ok) await refuseOptedOut(sent, list, plan !== undefined);
  return await send();
}

/**
 * Throws UsageError if a request would be refused as a repetition, before anyone is asked to confirm it, and FileError if that
 * cannot be decided. The error's reason says what allows it. Else the campaigns whose people it calls again, by a list that was
 * made for that.
 */
export async function requireNew(sent: Sent, recording: Recording, sending: Sending) {
  const one = caseOf(sent, recording, sending);
  const { register } = recording;
  const keyed = keyedFor(sent, recording, sending);
  try {
    if (keyed !== undefined) await register.read((sql) => requireUnused(sql, keyed));
  } catch (error) {
    replayed(error, keyed?.once);
    return { redialOf: [] };
  }
  const { objections, redial } = await register.read((sql) => judge(sql, one));
  refuse(objections, sending);
  for (const { error } of objections) recording.warn(inFull(error));
  return { redialOf: redial?.campaigns ?? [] };
}

/** An earlier campaign, and how many contacts it ruled out of the numbers that it called. */
export interface LeftOut {
  file: string;
  numbers: number;
  excluded: number;
}

/**
 * The contacts that were, or may have been, sent before are left out; the others, and for each earlier campaign how many it ruled
 * out. Throws FileErrors if that cannot be decided.
 */
export async function withoutSent(request: RequestOf<'createCampaign'>, recording: Recording) {
  const { phones } = calledIn({ operation: 'createCampaign', request });
  const { repeats, lastOf } = await recording.register.read((sql) => findRepeats(sql, recording.service, phones));
  const excluded = new Map<Repeat, number>(repeats.map((repeat) => [repeat, 0]));
  const contacts = request.contacts.filter(({ phone_number }) => {
    const last = lastOf(phone_number);
    if (last !== undefined) excluded.set(last, (excluded.get(last) ?? 0) + 1);
    return last === undefined;
  });
  const leftOut = Array.from(
    excluded,
    ([{ before }, count]): LeftOut => ({
      file: listName(before),
      numbers: isCampaign(before) ? before.sent.contacts.count : 1,
      excluded: count,
    }),
  );
  return { contacts, leftOut };
}

/** A request that the contract refuses is not sent, so it is not recorded either. */
export async function recorded<R extends Reply>(given: Sent, send: Send<R>, recording: Recording, sending: Sending) {
  const checked = checkedOf(given);
  if (checked === undefined) return await send();
  const { sent, contacts } = checked;
  const { register, redact, note, warn, service, organizationId } = recording;
  const one = caseOf(sent, recording, sending);
  const { once, withIntent, withReply } = sending;
  const keyed = keyedFor(sent, recording, sending);
  let entry: number;
  try {
    entry = await register.begin(one.intent, {
      async guard(sql) {
        // Before anything else objects: what was carried out under the key is not sent again.
        if (keyed !== undefined) await requireUnused(sql, keyed);
        return await guard(sql, sent, one, recording, sending);
      },
      callees: contacts && { contacts, rows: sending.rows, redact },
      async withIntent(sql, entry) {
        if (keyed !== undefined) await keepKey(sql, keyed, entry);
        await withIntent?.(sql, entry);
      },
    });
  } catch (error) {
    return replayed<R>(error, once);
  }
  const end = async (ended: Ended, said?: Reply) => {
    const ahead = recording.clockAhead();
    try {
      const withClock = ahead === undefined ? ended : { ...ended, clock_ahead: ahead };
      await register.end(
        entry,
        masked(withClock, redact),
        keyed === undefined ? withReply : keyEnds(keyed, said, withReply),
      );
    } catch (error) {
      // The request's own outcome is still what is reported; the missing record is an additional warning.
      warn(`${(error as Error).message} The register will show entry ${entry} as unknown.`);
    }
  };
  note(`${phrasesFor(sent).now} goes to ${service}, organization ${organizationId}.`);
  const response = await send(contacts).catch(async (error: unknown) => {
    await end(endedBy(error));
    throw error;
  });
  // Who asks again gets it as it was sent.
  await end({ outcome: 'accepted', answer: response }, masked(originalOf(response), redact));
  return response;
}

function keyedFor(sent: Sent, { register, service, organizationId }: Recording, { once }: Sending): Keyed | undefined {
  return once && { once, sent, organizationId, serviceKey: serviceKey(service), now: register.now() };
}

/** The key ends with its request. */
function keyEnds(keyed: Keyed, said: Reply | undefined, withReply: Sending['withReply']): Sending['withReply'] {
  return async (sql, ended) => {
    await sql.run(...endingKey(keyed, { ...ended, answer: said ?? ended.answer }));
    await withReply?.(sql, ended);
  };
}

/**
 * The same, with its contacts as they were checked, once for the register and for the wire; fields that were left out stay out.
 * Undefined if the contract refuses it.
 */
function checkedOf(sent: Sent): { sent: Sent; contacts?: CheckedContacts } | undefined {
  if (!isToContacts(sent)) return checkRequest(sent.operation, sent.request).ok ? { sent } : undefined;
  const checked = checkRequest(sent.operation, sent.request);
  if (!checked.ok) return undefined;
  const { contacts } = checked.value;
  return { sent: { ...sent, request: { ...sent.request, contacts } }, contacts };
}

/**
 * Throws what stands in the way of a request, and returns the last entry. A wave repeats calls by its plan's own rules,
 * but not without having seen all that was sent.
 */
async function guard(sql: Sql, sent: Sent, one: Case, recording: Recording, sending: Sending): Promise<number> {
  const { service, optedOut } = recording;
  const { plan, force } = sending;
  const glance = isToContacts(sent) ? undefined : await glanceAt(sql, service, phoneKeyOfNumber(traceOf(sent).to));
  const last = glance?.last ?? (await lastEntry(sql));
  if (glance?.isSuspect === false) return last;
  await refuseOptedOut(sent, optedOut, plan !== undefined, sql);
  if (plan !== undefined) {
    if (last !== plan.lookedAt) throw mustBeChosenAnew('Something else was sent');
  } else if (!force) refuse((await judge(sql, one)).objections, sending);
  return last;
}

export interface PlacedRequest {
  /** A clause: what was placed. */
  done: string;
  trace: CallTrace;
  /** Of a campaign. */
  campaignId: number | undefined;
  /** The plan of which the campaign is a wave. */
  planId: number | undefined;
}

/** What of it is told if something fails afterwards. */
export function placedBy(sent: Sent, reply: Reply, plan: PlannedWave | undefined): PlacedRequest {
  const { campaign_id } = reply;
  const campaignId = isToContacts(sent) && typeof campaign_id === 'number' ? campaign_id : undefined;
  const wave = plan && `wave ${plan.wave} of plan ${plan.id} was sent as campaign ${campaignId}`;
  return {
    done: wave ?? phrasesFor(sent, campaignId?.toString()).done,
    trace: traceOf(sent),
    campaignId,
    planId: plan?.id,
  };
}

export function endedBy(error: unknown): Ended {
  // The bug may have occurred after the request was sent.
  if (!(error instanceof VagentError)) return { outcome: 'unknown', answer: { message: String(error) } };
  const { code, message, status } = error;
  const answer = { ...(status === undefined ? {} : { status }), code, message };
  if (leavesOutcomeUnknown(error)) return { outcome: 'unknown', answer };
  return { outcome: error instanceof ServiceError ? 'refused' : 'not_sent', answer };
}

function caseOf(sent: Sent, recording: Recording, sending: Sending): Case {
  const { by, service, organizationId: organization_id, redact, register } = recording;
  const called = calledIn(sent);
  const intent: Intent = { by, service, organization_id, ...keptOf(sent, called, sending) };
  return { intent: masked(intent, redact), called, now: register.now() };
}

/** What is kept of a request, and beside it. */
function keptOf(sent: Sent, { numbersSha256 }: Called, { contactsFile, plan }: Sending) {
  if (!isToContacts(sent)) return sent;
  const { contacts, ...request } = sent.request;
  const file = { file: contactsFile?.name, file_sha256: contactsFile?.sha256 };
  const told = { count: contacts.length, numbers_sha256: numbersSha256, ...file };
  return { operation: sent.operation, request, plan, contacts: told };
}

/** So that a million contacts are hashed once, not once for the question and once for sending. */
const calledByContacts = new WeakMap<readonly Contact[], Called>();

function calledIn(sent: Sent): Called {
  const contacts = isToContacts(sent) ? sent.request.contacts : [];
  const numbers = () => Float64Array.from(numbersOf(sent), (number) => Number(number.slice(1)));
  const called = calledByContacts.get(contacts) ?? calledBy(numbers());
  calledByContacts.set(contacts, called);
  return called;
}
