/** One person at a register, with a clock that can be set and a service that answers as it is told to. */
import type { Contact, Service } from '../../src/contract.ts';
import { OutcomeUnknownError, ServiceError, UnavailableError } from '../../src/errors.ts';
import { OptedOut } from '../../src/register/do-not-call.ts';
import { type Recording, recorded, type Sending } from '../../src/register/guards.ts';
import { Register } from '../../src/register/register.ts';
import { ringing } from '../../src/register/requests.ts';
import type { Rows } from '../../src/storage/database/sql.ts';
import { checkedContacts } from './contacts.ts';
import { rowsAt } from './rows.ts';

export const SERVICE = 'https://voice.example.com/api';
export const NOON = Date.parse('2026-11-20T12:00:00Z');

/** What the service does with a request that arrives. */
export type Fate = 'accepted' | 'refused' | 'not_sent' | 'unknown';

export interface Where {
  service?: string;
  organizationId?: number;
}

const FAILURES: Record<Exclude<Fate, 'accepted'>, () => Error> = {
  refused: () => new ServiceError(400, 'refused', 'no'),
  not_sent: () => new UnavailableError('nobody listens'),
  unknown: () => new OutcomeUnknownError('no answer'),
};

export class Desk {
  now = NOON;
  fate: Fate = 'accepted';
  /** What arrived at the service, and what came of it. */
  readonly arrived: { numbers: string[]; fate: Fate }[] = [];
  readonly rows: Rows;
  readonly register: Register;

  static async at(place: string): Promise<Desk> {
    return new Desk(await rowsAt(place));
  }

  private constructor(rows: Rows) {
    this.rows = rows;
    this.register = new Register({ rows, systemNow: () => this.now });
  }

  optedOut(service = SERVICE, organizationId = 7): OptedOut {
    return new OptedOut({
      rows: this.rows,
      target: { service, organizationId, isLocal: false },
      systemNow: () => this.now,
    });
  }

  recording({ service = SERVICE, organizationId = 7 }: Where = {}): Recording {
    const redact = (text: string) => text.replace('sk-PLANTED', '<API_KEY>');
    const silent = { redact, note: () => {}, warn: () => {} };
    const optedOut = this.optedOut(service, organizationId);
    const parts = { register: this.register, optedOut, service, organizationId };
    return { ...parts, by: 'ana@desk', clockAhead: () => -5, ...silent };
  }

  service(sending: Sending = {}, where: Where = {}): Service {
    const arrive = async (numbers: string[]) => {
      const { fate } = this;
      this.arrived.push({ numbers, fate });
      if (fate !== 'accepted') throw FAILURES[fate]();
      return { success: true, campaign_id: 10 + this.arrived.length };
    };
    const service = {
      triggerCall: ({ called_to }: { called_to: string }) => arrive([called_to]),
      createCampaign: ({ contacts }: { contacts: Contact[] }) => arrive(contacts.map((one) => one.phone_number)),
    };
    return ringing(service as unknown as Service, (sent, send) => recorded(sent, send, this.recording(where), sending));
  }

  /** What came of the request, or the code of the error that kept it here. */
  async create(contacts: readonly (string | Contact)[], sending: Sending = {}, where: Where = {}): Promise<string> {
    return await this.#send(() => this.service(sending, where).createCampaign(campaignOf(contacts)));
  }

  async call(number: string, sending: Sending = {}, where: Where = {}): Promise<string> {
    return await this.#send(() => this.service(sending, where).triggerCall(callOf(number)));
  }

  async #send(send: () => Promise<unknown>): Promise<string> {
    this.now += 1000;
    const before = this.arrived.length;
    return await send().then(
      () => 'accepted',
      (error: Error & { code?: string }) =>
        this.arrived.length > before ? (this.arrived.at(-1)?.fate ?? '') : (error.code ?? String(error)),
    );
  }
}

export function campaignOf(contacts: readonly (string | Contact)[]) {
  const people = contacts.map((one) => (typeof one === 'string' ? { phone_number: one } : one));
  return { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100', contacts: checkedContacts(people) };
}

export function callOf(called_to: string) {
  const texts = { custom_first_line: 'Hi.', custom_identifiers: 'crm-1' };
  return { use_agent_id: 3, called_to, call_from: '+14155550100', ...texts };
}
