/**
 * What is not sent a second time without `--force`: the same contacts, and a call to a number whose last call is unknown. To
 * the same service, that is: for which of its organizations does not matter to the people who are called.
 */
import { UsageError } from '../errors.ts';
import type { SentCampaign } from './ledger.ts';
import type { ContactsSent, Intent, SentLine } from './lines.ts';
import type { Standing } from './register.ts';

/** How times and the next step are told. */
export interface Telling {
  /** An ISO 8601 time as the machine's clocks show it. */
  localTime(at: string): string;
  /** How to find out what came of an entry, ending in a command. */
  look(sent: SentLine): string;
}

/** Throws UsageError where `intent` was, or may have been, carried out before, and FileError where that cannot be known. */
export function refuseRepeat({ ledger, damage }: Standing, intent: Intent, telling: Telling): void {
  if (damage !== undefined) throw damage;
  const { service, operation, request, contacts } = intent;
  if (operation === 'trigger-call') {
    const unknown = ledger.unknownCall(service, String(request.called_to));
    if (unknown !== undefined) throw unknownCall(unknown, intent, telling);
  } else if (contacts !== undefined) {
    const same = ledger.sameContacts(service, contacts);
    if (same !== undefined) throw sameContacts(same, contacts, telling);
  }
}

function unknownCall(sent: SentLine, intent: Intent, { localTime, look }: Telling): UsageError {
  const { called_to, use_agent_id, call_from } = sent.request;
  return new UsageError(
    `The last call to ${called_to} (${localTime(sent.at)}, agent ${use_agent_id}, from ${call_from}${otherOrganization(sent, intent)}) may have been placed: what came of it is unknown. Nothing was sent.`,
    {
      code: 'unknown_call',
      hint: `To call all the same, repeat with --force; but ${look(sent)}`,
    },
  );
}

function sameContacts({ sent, outcome, answer }: SentCampaign, contacts: ContactsSent, telling: Telling): UsageError {
  const isSameFile = contacts.file_sha256 !== undefined && contacts.file_sha256 === sent.contacts?.file_sha256;
  const what = isSameFile ? 'This file of contacts was' : `These ${contacts.count} numbers were`;
  const campaign = `${telling.localTime(sent.at)} as ${JSON.stringify(sent.request.campaign_name)}`;
  if (outcome === 'accepted') {
    return new UsageError(`${what} sent before: ${campaign}, campaign ${answer?.campaign_id}. Nothing was sent.`, {
      code: 'repeated_campaign',
      hint: 'To call these people again, repeat with --force.',
    });
  }
  return new UsageError(`${what} sent before: ${campaign}; what came of it is unknown. Nothing was sent.`, {
    code: 'repeated_campaign',
    hint: `To send it all the same, repeat with --force; but ${telling.look(sent)}`,
  });
}

/** Where it was not sent for the organization that is meant now. */
function otherOrganization({ organization_id }: SentLine, intent: Intent): string {
  return organization_id === intent.organization_id ? '' : `, organization ${organization_id}`;
}
