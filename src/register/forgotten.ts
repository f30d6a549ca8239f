/** What is left of a request when it has been forgotten: that it was sent, when, by whom and with what outcome; nobody's number. */
import type { Sql } from '../storage/database/sql.ts';
import { deleteContacts } from './contact-rows.ts';
import type { Past } from './requests.ts';
import { changing } from './tables.ts';

/** Fields of a campaign that say nothing of the people it called. */
const REQUEST = [
  'campaign_name',
  'agent_id',
  'call_from',
  'start_time',
  'calls_per_hour',
  'retry_attempts',
  'retry_delay',
];
/** The same of its answer. That of a call may have the number in any of its names. */
const ANSWER = ['success', 'campaign_id', 'campaign_name', 'status', 'total_contacts', 'code'];

/** `at` is when they are forgotten, in milliseconds since the epoch. The hash of a few numbers would give them away. */
export async function forgetRequests(sql: Sql, requests: readonly Past[], at: number): Promise<void> {
  await deleteContacts(
    sql,
    requests.map(({ sent: { entry } }) => entry),
  );
  for (const { sent, answer } of requests) {
    const reply = answer === undefined ? null : JSON.stringify(only(answer, ANSWER));
    const gone = { phone: null, numbers_sha256: '', file_sha256: null, columns: null };
    const left = { forgotten_at: at, request: JSON.stringify(leftOf(sent)), reply, ...gone };
    await sql.run(...changing('requests', { entry: sent.entry }, left));
  }
}

function leftOf(sent: Past['sent']): Record<string, unknown> {
  if (sent.operation === 'createCampaign') return only(sent.request, REQUEST);
  const { use_agent_id, call_from } = sent.request;
  return { use_agent_id, called_to: '', call_from, custom_first_line: '', custom_identifiers: '' };
}

/** Some fields, if they are simple values. */
function only(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => names.includes(name) && typeof value !== 'object'),
  );
}
