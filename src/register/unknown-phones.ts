/** The phones that requests of unknown outcome call, or may have called. */
import { phoneKeyOfDigits } from '../text/phone.ts';
import { isUnknown, type Ledger } from './ledger.ts';
import type { Register } from './register.ts';

/** Keys of phones (`phoneKeyOfDigits`), for every organization of a service. Throws FileErrors. */
export function unknownPhones(service: string, ledger: Ledger, register: Register): Set<number> {
  const phones = new Set<number>();
  for (const campaign of ledger.campaigns(service)) {
    if (isUnknown(campaign)) for (const phone of register.phonesOf(campaign.sent)) phones.add(phone);
  }
  for (const { request } of ledger.unknownCallsTo(service)) {
    phones.add(phoneKeyOfDigits(Number(request.called_to.slice(1))));
  }
  return phones;
}
