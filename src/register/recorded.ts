/** A Service whose calls and campaigns pass the guards and are written down, before they are sent and when they have ended. */
import { type ContactKey, checkRequest, type RequestOf, type Service } from '../contract.ts';
import { leavesOutcomeUnknown, ServiceError, VagentError } from '../errors.ts';
import { masked } from '../redact.ts';
import { fingerprint } from './fingerprint.ts';
import { refuseRepeat, type Telling } from './guards.ts';
import type { Ended, Intent } from './lines.ts';
import type { Register, Standing } from './register.ts';

/** What the operator says of one command's requests. */
export interface Sending {
  /** Whether the guards are passed over. */
  force?: boolean | undefined;
  /** The file that the contacts come from: as it was named, and the SHA-256 of its bytes. */
  contactsFile?: { name: string; sha256: string } | undefined;
}

export interface Recording extends Telling {
  register: Register;
  /** The base URL. */
  service: string;
  organizationId: number;
  /** `user@host`. */
  by: string;
  /** Masks the key in whatever is written down. */
  redact(text: string): string;
  warn(text: string): void;
}

/** A request that rings people's phones. */
export type Sent =
  | { operation: 'triggerCall'; request: RequestOf<'triggerCall'> }
  | { operation: 'createCampaign'; request: RequestOf<'createCampaign'> };

/** What the contract refuses is not sent, and so not written down. */
export function recorded(service: Service, recording: Recording, sending: Sending): Service {
  return {
    ...service,
    async triggerCall(request) {
      const send = () => service.triggerCall(request);
      if (!checkRequest('triggerCall', request).ok) return send();
      const intent = intentOf({ operation: 'triggerCall', request }, recording, sending);
      return record(recording, sending, { intent }, send);
    },
    async createCampaign(request) {
      const send = () => service.createCampaign(request);
      if (!checkRequest('createCampaign', request).ok) return send();
      const intent = intentOf({ operation: 'createCampaign', request }, recording, sending);
      return record(recording, sending, { intent, contacts: keysOf(request.contacts, recording) }, send);
    },
  };
}

/** Throws UsageError where a request would be refused as a repetition: so that nobody is asked for a consent in vain. */
export function requireNew(sent: Sent, recording: Recording, sending: Sending): void {
  if (sending.force) return;
  refuseRepeat(recording.register.standing(), intentOf(sent, recording, sending), recording);
}

async function record<T extends Record<string, unknown>>(
  recording: Recording,
  { force }: Sending,
  { intent, contacts }: { intent: Intent; contacts?: Iterable<ContactKey> },
  send: () => Promise<T>,
): Promise<T> {
  const { register, redact, warn } = recording;
  const guard = (standing: Standing) => {
    if (!force) refuseRepeat(standing, intent, recording);
  };
  const entry = await register.begin(intent, { guard, contacts });
  const end = async (ended: Ended) => {
    try {
      await register.end(entry, masked(ended, redact));
    } catch (error) {
      // What happened stays what is told; that it is not written down comes on top.
      warn(`${(error as Error).message} The register will show entry ${entry} as unknown.`);
    }
  };
  let response: T;
  try {
    response = await send();
  } catch (error) {
    await end(ending(error));
    throw error;
  }
  await end({ outcome: 'accepted', answer: response });
  return response;
}

/** One by one: there may be a million, and the request holds them already. */
function* keysOf(contacts: readonly ContactKey[], { redact }: Recording): Generator<ContactKey> {
  for (const { phone_number, custom_identifiers } of contacts) {
    yield { phone_number, custom_identifiers: custom_identifiers && redact(custom_identifiers) };
  }
}

function ending(error: unknown): Ended {
  // A bug may have struck after the request had left.
  if (!(error instanceof VagentError)) return { outcome: 'unknown', answer: { message: String(error) } };
  const { code, message, status } = error;
  const answer = { ...(status === undefined ? {} : { status }), code, message };
  if (leavesOutcomeUnknown(error)) return { outcome: 'unknown', answer };
  return { outcome: error instanceof ServiceError ? 'refused' : 'not_sent', answer };
}

function intentOf({ operation, request }: Sent, recording: Recording, { contactsFile }: Sending): Intent {
  const { by, service, organizationId, redact } = recording;
  const common = { by, service, organization_id: organizationId };
  if (operation === 'triggerCall') {
    return masked({ ...common, operation: 'trigger-call', request: { ...request } }, redact);
  }
  const { contacts, ...campaign } = request;
  const sent = {
    count: contacts.length,
    numbers_sha256: fingerprint(contacts),
    ...(contactsFile === undefined ? {} : { file: contactsFile.name, file_sha256: contactsFile.sha256 }),
  };
  return masked({ ...common, operation: 'create-campaign', request: campaign, contacts: sent }, redact);
}
