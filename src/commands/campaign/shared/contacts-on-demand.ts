/** Contacts that are read when they are needed: most campaigns have nothing to do with the one that is looked at. */
import type { LaunchedContacts } from '../../../calls/attribution/launched.ts';
import type { ContactKey } from '../../../contract.ts';
import { phoneKeyOfDigits } from '../../../text/phone.ts';

export function contactsOnDemand(read: () => Iterable<ContactKey>, count: number): LaunchedContacts {
  let phones: Float64Array | undefined;
  let identifiers: (string | undefined)[] | undefined;
  return {
    get phones() {
      if (phones === undefined) {
        phones = new Float64Array(count);
        let row = 0;
        for (const { phone_number } of read()) phones[row++] = phoneKeyOfDigits(Number(phone_number.slice(1)));
      }
      return phones;
    },
    identifierOf(row) {
      identifiers ??= Array.from(read(), ({ custom_identifiers }) => custom_identifiers || undefined);
      return identifiers[row];
    },
  };
}
