/** Contacts that are read when they are needed: most campaigns have nothing to do with the one that is looked at. */
import type { LaunchedContacts } from '../../../calls/attribution/launched.ts';
import type { ContactKey } from '../../../contract.ts';
import { phoneKeyOfNumber } from '../../../text/phone.ts';

export function contactsOnDemand(read: () => Iterable<ContactKey>, count: number): LaunchedContacts {
  let phones: Float64Array | undefined;
  let identifiers: (string | undefined)[] | undefined;
  return {
    get phones() {
      if (phones === undefined) {
        phones = new Float64Array(count);
        let row = 0;
        for (const { phone_number } of read()) phones[row++] = phoneKeyOfNumber(phone_number);
      }
      return phones;
    },
    identifierOf(row) {
      identifiers ??= Array.from(read(), ({ custom_identifiers }) => custom_identifiers || undefined);
      return identifiers[row];
    },
  };
}
