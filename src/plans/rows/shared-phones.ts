/** Which contacts of a new list other plans have too. A million contacts take some twenty megabytes. */

import type { Contact } from '../../contract.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { placeIn } from '../../text/search.ts';
import type { ContactState, Roster } from '../rules/roster.ts';

/** Of those whom a plan has called, or may call. */
export const HAD: ReadonlySet<ContactState> = new Set(['new', 'handed', 'again', 'reached', 'exhausted', 'unseen']);
/** Of those who are, or may be, called by a plan that goes on. */
export const TO_CALL: ReadonlySet<ContactState> = new Set(['new', 'handed', 'again']);

export class SharedPhones {
  readonly #contacts: readonly Contact[];
  /** Rising. */
  readonly #phones: Float64Array;
  /** For each of `#phones` the number of the first plan that has it; 0 if none has. */
  readonly #planOf: Float64Array;

  constructor(contacts: readonly Contact[]) {
    this.#contacts = contacts;
    this.#phones = Float64Array.from(contacts, ({ phone_number }) => phoneKeyOfNumber(phone_number)).sort();
    this.#planOf = new Float64Array(contacts.length);
  }

  /** Contacts of the plan in some states. */
  find(planId: number, roster: Roster, states: ReadonlySet<ContactState>): void {
    for (let row = 0; row < roster.size; row++) {
      if (!states.has(roster.stateOf(row))) continue;
      const at = placeIn(this.#phones, roster.phoneOf(row));
      if (at !== -1 && this.#planOf[at] === 0) this.#planOf[at] = planId;
    }
  }

  /** How many contacts of the list each plan has; one that several have counts for the first that was looked at. */
  counts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const contact of this.#contacts) {
      const planId = this.#planWith(contact);
      if (planId !== 0) counts.set(planId, (counts.get(planId) ?? 0) + 1);
    }
    return counts;
  }

  /** The contacts that no plan has, in their order. */
  rest(): Contact[] {
    return this.#contacts.filter((contact) => this.#planWith(contact) === 0);
  }

  #planWith(contact: Contact): number {
    return this.#planOf[placeIn(this.#phones, phoneKeyOfNumber(contact.phone_number))] as number;
  }
}
