/**
 * What differs between the operations that ring phones. A new one needs a row here, and the compiler says so: without it the
 * guards, which every such request passes, do not know what they let through.
 */
import * as z from 'zod/mini';
import {
  isToContacts,
  type KeptRequest,
  operations,
  type RingingOperation,
  ringingOperations,
  type Sent,
  traceOf,
} from '../contract.ts';

/** How a request is said to people. */
interface Phrases {
  /** Begins a sentence about what is sent now. */
  now: string;
  /** A clause about what was carried out. */
  done: string;
  /** Behind the time at which it was sent. */
  before: string;
  /** Among the lists that rule contacts out. */
  asList: string;
}

interface Ringing<K extends RingingOperation> {
  /** What must be found in a request that was kept. */
  kept: z.ZodMiniType;
  /** What is left of it when the people that it called are forgotten. */
  left(request: KeptRequest<K>): Record<string, unknown>;
  /** `id`: by which the service calls what it has accepted. */
  phrases(request: KeptRequest<K>, id: string | undefined): Phrases;
}

const text = z.string();
const whole = z.int();
const positive = z.number().check(z.positive());
const time = z.string().check(z.refine((at) => !Number.isNaN(Date.parse(at))));

/** None of its fields says anything of the people it called. */
const CAMPAIGN = z.looseObject({
  campaign_name: text,
  agent_id: whole,
  call_from: text,
  start_time: z.optional(time),
  calls_per_hour: z.optional(positive),
  retry_attempts: z.optional(whole.check(z.minimum(0))),
  retry_delay: z.optional(z.number().check(z.minimum(0))),
});

const RINGING: { [K in RingingOperation]: Ringing<K> } = {
  triggerCall: {
    kept: z.looseObject({
      use_agent_id: whole,
      called_to: z.string().check(z.regex(/^(\+\d{1,15})?$/)),
      call_from: text,
      custom_identifiers: z.optional(text),
    }),
    left: ({ use_agent_id, call_from }) => ({
      ...{ use_agent_id, called_to: '', call_from, custom_first_line: '', custom_identifiers: '' },
    }),
    phrases: ({ called_to, use_agent_id }) => ({
      now: `The call to ${called_to}`,
      done: `the call to ${called_to} is placed`,
      before: `in a call of agent ${use_agent_id}`,
      asList: `Call of unknown outcome to ${called_to}`,
    }),
  },
  createCampaign: {
    kept: CAMPAIGN,
    left: (request) => only(request, Object.keys(CAMPAIGN.shape)),
    phrases({ campaign_name }, id) {
      const name = JSON.stringify(campaign_name);
      return {
        now: `Campaign ${name}`,
        done: id === undefined ? `campaign ${name} is created` : `campaign ${id} ${name} is created`,
        before: `as ${name}${id === undefined ? '' : `, campaign ${id}`}`,
        asList: id === undefined ? `Campaign of unknown outcome ${name}` : `Campaign ${id} ${name}`,
      };
    },
  },
};

/** Some fields, if they are simple values. */
export function only(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => names.includes(name) && typeof value !== 'object'),
  );
}

/** Whom a request calls, as E.164. */
export function numbersOf(sent: Sent): readonly string[] {
  return isToContacts(sent) ? sent.request.contacts.map(({ phone_number }) => phone_number) : [traceOf(sent).to];
}

type Kept<K extends RingingOperation> = { operation: K; request: KeptRequest<K> };

export function phrasesFor<K extends RingingOperation>({ operation, request }: Kept<K>, id?: string): Phrases {
  return RINGING[operation].phrases(request, id);
}

export function leftOf<K extends RingingOperation>({ operation, request }: Kept<K>): Record<string, unknown> {
  return RINGING[operation].left(request);
}

/** The value itself, with its fields in the order in which they were sent. Throws if it is no such request. */
export function keptRequest<K extends RingingOperation>(operation: K, value: unknown): KeptRequest<K> {
  RINGING[operation].kept.parse(value);
  return value as KeptRequest<K>;
}

// As the register names them -------------------------------------------------------------------------------------------

export function nameOf(operation: RingingOperation): string {
  return operations[operation].path.slice(1);
}

export const operationsByName = new Map(ringingOperations.map((operation) => [nameOf(operation), operation]));
