/** Whoever opted out is called by nothing any more, whatever the operator allows: a call is refused, a contact is left out. */
import { type Contact, checkRequest, type Service } from '../contract.ts';
import type { Sql } from '../database/sql.ts';
import { InputError } from '../errors.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import type { OptedOut } from './opted-out.ts';
import { mustBeChosenAnew, type PlannedWave } from './planned-wave.ts';
import type { Sending, Sent } from './recorded.ts';

/** The error code where somebody opted out. */
export const DO_NOT_CALL = 'do_not_call';

/** Phones that a sentence names. */
const NAMED = 3;

/**
 * Throws InputError if a request would call somebody who has opted out by now, UnavailableError if it is a wave, and FileErrors if that
 * is not known.
 */
export async function refuseOptedOut(sent: Sent, list: OptedOut, plan?: PlannedWave, sql?: Sql): Promise<void> {
  const numbers = numbersOf(sent);
  const out = new Set(await list.among(numbers.map(phoneKeyOfNumber), sql));
  if (out.size === 0) return;
  if (plan !== undefined) throw mustBeChosenAnew('Somebody opted out');
  const refused = numbers.filter((number) => out.has(phoneKeyOfNumber(number)));
  const { length } = numbers;
  const named = refused.slice(0, NAMED).join(', ');
  const more = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : '';
  const who = length === 1 ? named : `${refused.length} of ${length} contacts (${named}${more})`;
  throw new InputError(`${who} ${refused.length === 1 ? 'has' : 'have'} opted out of calls. Nothing was sent.`, {
    code: DO_NOT_CALL,
    hint: `Nothing overrides that. The list of those who opted out is in ${list.location}.`,
  });
}

/** The contacts that are not among those who opted out (`OptedOut.phones`): the same array if nobody is. */
export function withoutThose(out: ReadonlySet<number>, contacts: readonly Contact[]): readonly Contact[] {
  if (out.size === 0) return contacts;
  const left = contacts.filter(({ phone_number }) => !out.has(phoneKeyOfNumber(phone_number)));
  return left.length === contacts.length ? contacts : left;
}

/** The same service of the local engine. A request that the contract refuses is none that calls somebody. */
export function heeding(service: Service, list: OptedOut, { plan }: Sending): Service {
  return {
    ...service,
    async triggerCall(request) {
      const sent = { operation: 'triggerCall', request } as const;
      if (checkRequest('triggerCall', request).ok) await refuseOptedOut(sent, list, plan);
      return service.triggerCall(request);
    },
    async createCampaign(request) {
      const sent = { operation: 'createCampaign', request } as const;
      if (checkRequest('createCampaign', request).ok) await refuseOptedOut(sent, list, plan);
      return service.createCampaign(request);
    },
  };
}

function numbersOf({ operation, request }: Sent): readonly string[] {
  return operation === 'triggerCall' ? [request.called_to] : request.contacts.map(({ phone_number }) => phone_number);
}
