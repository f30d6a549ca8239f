import { type CheckedContacts, type Contact, checkContacts } from '../../src/contract.ts';

/** Contacts as the engine takes them. */
export function checkedContacts(contacts: readonly Contact[]): CheckedContacts {
  const checked = checkContacts(contacts);
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  return checked.value;
}
