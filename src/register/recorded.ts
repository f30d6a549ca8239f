/** A Service whose calls and campaigns pass the guards and are recorded, before they are sent and after they have ended. */
import { type Contact, checkRequest, type RequestOf, type Service } from '../contract.ts';
import { FileError, inFull, leavesOutcomeUnknown, ServiceError, VagentError } from '../errors.ts';
import type { KeptRows } from '../text/kept-rows.ts';
import { masked } from '../text/redact.ts';
import { calledBy } from './called.ts';
import { refuseOptedOut } from './do-not-call.ts';
import type { Ended, Intent, PlanMark } from './lines.ts';
import { listName } from './objection-words.ts';
import {
  type Case,
  findRepeats,
  type Judgement,
  judge,
  type Objection,
  type Permission,
  refuse,
} from './objections.ts';
import { mustBeChosenAnew, type PlannedWave } from './planned-wave.ts';
import type { RedialledCampaign } from './redials.ts';
import type { Register, Standing } from './register.ts';
import { Callees, type Repeat } from './repeats.ts';

/** The operator's choices for one command's requests. */
export interface Sending extends Permission {
  /** The file of the contacts: its name as given, and the SHA-256 of its bytes. */
  contactsFile?: { name: string; sha256: string } | undefined;
  /** The original row of each contact, in the order of the contacts. */
  rows?: KeptRows | undefined;
  /** The entry of the first part, if a campaign is created in two. */
  partOf?: number | undefined;
  /**
   * The wave of a plan that a campaign is. It repeats calls by the plan's own rules, so nothing objects to that; it is refused if
   * something was sent that the plan had not seen when it chose the wave.
   */
  plan?: PlannedWave | undefined;
  /**
   * Called with the number of the request's entry, and awaited, before it is sent. If it throws, the entry is ended and nothing is sent.
   */
  onEntry?: ((entry: number) => void | Promise<void>) | undefined;
}

/** What people are shown, and what is hidden from them. */
export interface Messages {
  /** Masks the key in everything that is recorded. */
  redact: (text: string) => string;
  note: (text: string) => void;
  warn: (text: string) => void;
}

export interface Recording extends Messages {
  register: Register;
  /** The base URL. */
  service: string;
  organizationId: number;
  /** `user@host`. */
  by: string;
  /** Milliseconds by which the service's clock was ahead of this machine's at its last answer; undefined if none had a date. */
  clockAhead: () => number | undefined;
}

/** A request that rings people's phones. */
export type Sent =
  | { operation: 'triggerCall'; request: RequestOf<'triggerCall'> }
  | { operation: 'createCampaign'; request: RequestOf<'createCampaign'> };

/** A request that the contract refuses is not sent, so it is not recorded either. */
export function recorded(service: Service, recording: Recording, sending: Sending): Service {
  return {
    ...service,
    async triggerCall(request) {
      const send = () => service.triggerCall(request);
      if (!checkRequest('triggerCall', request).ok) return send();
      return record({ operation: 'triggerCall', request }, recording, sending, send);
    },
    async createCampaign(request) {
      const checked = checkRequest('createCampaign', request);
      if (!checked.ok) return service.createCampaign(request);
      // Checked once for the register and for the wire. Fields that were left out stay out.
      const sent = { ...request, contacts: checked.value.contacts };
      return record({ operation: 'createCampaign', request: sent }, recording, sending, () =>
        service.createCampaign(sent),
      );
    },
  };
}

/**
 * Throws UsageError if a request would be refused as a repetition, before anyone is asked to confirm it, and FileError if that
 * cannot be decided. The error's reason says what allows it.
 */
export function requireNew(sent: Sent, recording: Recording, sending: Sending): Approval {
  const { objections, redial } = look(caseOf(sent, recording, sending));
  refuse(objections, sending);
  for (const { error } of objections) recording.warn(inFull(error));
  return { redialOf: redial?.campaigns ?? [] };
}

/** What is known of a request that may be sent. */
export interface Approval {
  /** The campaigns whose people it calls again, by a list that was made for that. */
  redialOf: readonly RedialledCampaign[];
}

/** Takes no lock: contacts that cannot be read may just have been removed, with a campaign that was refused. */
function look(one: Case): Judgement {
  const found = judge(one.register.standing(), one);
  return found.objections.some(isUncertain) ? judge(one.register.standing(), one) : found;
}

function isUncertain({ error }: Objection): boolean {
  return error instanceof FileError;
}

/** Contacts that were not sent before, and for each earlier campaign how many it ruled out. */
export interface Rest {
  contacts: Contact[];
  leftOut: { file: string; numbers: number; excluded: number }[];
}

/** Leaves out the contacts that were, or may have been, sent before. Throws FileErrors if that cannot be decided. */
export function withoutSent(request: RequestOf<'createCampaign'>, recording: Recording, { force }: Permission): Rest {
  const one = caseOf({ operation: 'createCampaign', request }, recording, {});
  refuse(look(one).objections.filter(isUncertain), { force });
  const { repeats, lastOf } = findRepeats(recording.register.standing(), one);
  const rows = new Map<Repeat, number>(repeats.map((repeat) => [repeat, 0]));
  const contacts = request.contacts.filter(({ phone_number }) => {
    const last = lastOf(phone_number);
    if (last !== undefined) rows.set(last, (rows.get(last) ?? 0) + 1);
    return last === undefined;
  });
  const leftOut = [...rows].map(([{ before }, excluded]) => ({
    file: listName(before),
    numbers: before.sent.operation === 'createCampaign' ? before.sent.contacts.count : 1,
    excluded,
  }));
  return { contacts, leftOut };
}

async function record<T extends Record<string, unknown>>(
  sent: Sent,
  recording: Recording,
  sending: Sending,
  send: () => Promise<T>,
): Promise<T> {
  const { register, redact, note, warn, service, organizationId } = recording;
  const one = caseOf(sent, recording, sending);
  const optedOut = register.optedOut(service, organizationId);
  const guard = (standing: Standing) => {
    refuseOptedOut(sent, optedOut, sending.plan);
    if (sending.plan !== undefined) requireSeen(standing, sending.plan);
    else if (!sending.force) refuse(judge(standing, one).objections, sending);
  };
  const contacts = sent.operation === 'createCampaign' ? sent.request.contacts : undefined;
  const callees = contacts && { contacts, rows: sending.rows, called: one.callees.called, redact };
  const entry = await register.begin(one.intent, { guard, callees });
  const end = async (ended: Ended) => {
    const ahead = recording.clockAhead();
    try {
      const withClock = ahead === undefined ? ended : { ...ended, clock_ahead: ahead };
      await register.end(entry, masked(withClock, redact));
    } catch (error) {
      // The request's own outcome is still what is reported; the missing record is an additional warning.
      warn(`${(error as Error).message} The register will show entry ${entry} as unknown.`);
    }
  };
  try {
    await sending.onEntry?.(entry);
  } catch (error) {
    await end({ outcome: 'not_sent', answer: { message: error instanceof Error ? error.message : String(error) } });
    throw error;
  }
  note(`${whatGoes(sent)} goes to ${service}, organization ${organizationId}.`);
  let response: T;
  try {
    response = await send();
  } catch (error) {
    await end(endedBy(error));
    throw error;
  }
  await end({ outcome: 'accepted', answer: response });
  return response;
}

/** Throws FileError if the register is damaged, and UnavailableError if the plan has not seen all of it. */
function requireSeen({ ledger, damage }: Standing, { lookedAt }: PlannedWave): void {
  if (damage !== undefined) throw damage;
  if (ledger.lastEntry === lookedAt) return;
  throw mustBeChosenAnew('Something else was sent');
}

function whatGoes({ operation, request }: Sent): string {
  if (operation === 'triggerCall') return `The call to ${request.called_to}`;
  return `Campaign ${JSON.stringify(request.campaign_name)}`;
}

function endedBy(error: unknown): Ended {
  // The bug may have occurred after the request was sent.
  if (!(error instanceof VagentError)) return { outcome: 'unknown', answer: { message: String(error) } };
  const { code, message, status } = error;
  const answer = { ...(status === undefined ? {} : { status }), code, message };
  if (leavesOutcomeUnknown(error)) return { outcome: 'unknown', answer };
  return { outcome: error instanceof ServiceError ? 'refused' : 'not_sent', answer };
}

function caseOf(sent: Sent, recording: Recording, { contactsFile, partOf, plan }: Sending): Case {
  const { by, service, organizationId, redact, register } = recording;
  const common = { by, service, organization_id: organizationId };
  if (sent.operation === 'triggerCall') {
    const { request } = sent;
    const intent: Intent = { ...common, operation: 'triggerCall', request };
    const called = calledBy(Float64Array.of(digitsOf(request.called_to)));
    return { intent: masked(intent, redact), callees: new Callees(called), register };
  }
  const { contacts, ...campaign } = sent.request;
  const callees = calleesOf(contacts);
  const intent: Intent = {
    ...common,
    operation: 'createCampaign',
    ...(partOf === undefined ? {} : { part_of: partOf }),
    ...(plan === undefined ? {} : { plan: markOf(plan) }),
    request: campaign,
    contacts: {
      count: contacts.length,
      numbers_sha256: callees.called.numbersSha256,
      ...(contactsFile === undefined ? {} : { file: contactsFile.name, file_sha256: contactsFile.sha256 }),
    },
  };
  return { intent: masked(intent, redact), callees, register };
}

function markOf({ id, wave, createdAt }: PlannedWave): PlanMark {
  return { id, wave, created_at: new Date(createdAt).toISOString() };
}

/** So that a million contacts are hashed once, not once for the question and once for sending. */
const calleesByContacts = new WeakMap<readonly Contact[], Callees>();

function calleesOf(contacts: readonly Contact[]): Callees {
  const standing = calleesByContacts.get(contacts);
  if (standing !== undefined) return standing;
  const numbers = Float64Array.from(contacts, ({ phone_number }) => digitsOf(phone_number));
  const callees = new Callees(calledBy(numbers));
  calleesByContacts.set(contacts, callees);
  return callees;
}

function digitsOf(e164: string): number {
  return Number(e164.slice(1));
}
