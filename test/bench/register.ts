/**
 * A call to a real service after a million calls in the register, beside the same with an empty one and beside reading voices;
 * and a campaign of a million contacts that is compared with ten others of a million each.
 */
import { insertRequest } from '../../src/register/request-rows.ts';
import type { Rows, Value } from '../../src/storage/database/sql.ts';
import { rowsAt } from '../support/rows.ts';
import { BIN, CALL, CALLS, CONTACTS, campaignOf, compare, measureIn } from './workplace.ts';

const ROUNDS = 10;
const CAMPAIGNS = 10;
const CAMPAIGN_ROUNDS = 3;
/** What a campaign ends with where nobody can say yes. */
const NEEDS_A_YES = 2;
const SERVICE = 'http://127.0.0.1:9';
const AT = Date.parse('2026-11-01T09:00:00.000Z');
const SENT = { by: 'ana@desk', organization_id: 1 };

await measureIn(async (place) => {
  const { url } = await place.serve(place.path('store'));
  place.connection = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key' };
  const at = (state: string) => ({ VAGENT_STATE_DIR: place.path(state) });
  await writeCalls(await rowsAt(place.path('full')), url);
  const call = (state: string) => place.time([process.execPath, BIN, ...CALL], at(state));
  const calls = {
    'with an empty register': () => call('empty'),
    [`after ${CALLS} calls (at most 1.3×)`]: () => call('full'),
    'voice list': () => place.time([process.execPath, BIN, 'voice', 'list'], at('empty')),
  };
  compare('vagent call over HTTP', ROUNDS, calls, { isWarm: true });

  // What comes before the yes: contacts checked and compared. Half of them are in some campaign of the register.
  await writeCampaigns(await rowsAt(place.path('sent')));
  const contacts = place.contacts();
  const create = campaignOf('--quiet', '--contacts', contacts, '--base-url', SERVICE, '--org', '1', '--again');
  compare(`campaign create of ${CONTACTS} contacts up to the yes`, CAMPAIGN_ROUNDS, {
    'with an empty register': () => place.node([BIN, ...create], NEEDS_A_YES, at('none')),
    [`after ${CAMPAIGNS} campaigns (at most 2×, 300 MB)`]: () => place.node([BIN, ...create], NEEDS_A_YES, at('sent')),
    'contacts check': () => place.vagent('contacts', 'check', contacts, '--quiet'),
  });
});

/** Every second number of the first campaign is called again. */
async function writeCampaigns(rows: Rows): Promise<void> {
  const columns = ['entry', 'position', 'phone', 'number', 'identifiers'];
  for (let entry = 1; entry <= CAMPAIGNS; entry++) {
    // In no order, as lists come.
    const numberAt = (at: number) =>
      entry === 1 ? 14_155_560_000 + 2 * at : entry * 10_000_000_000 + ((at * 7919) % CONTACTS) * 1000;
    await rows.write(async (sql) => {
      const request = { campaign_name: `Campaign ${entry}`, agent_id: 1, call_from: '+14155550100' };
      const contacts = { count: CONTACTS, numbers_sha256: '' };
      const intent = { ...SENT, service: SERVICE, operation: 'createCampaign', request, contacts } as const;
      await insertRequest(sql, entry, intent, { at: AT });
      await sql.insert('request_contacts', columns, contactsOf(entry, numberAt));
      await sql.run(`update requests set outcome = 'accepted', reply = '{}', ended_at = sent_at where entry = $1`, [
        entry,
      ]);
    });
  }
}

function* contactsOf(entry: number, numberAt: (at: number) => number): Generator<Value[]> {
  for (let at = 0; at < CONTACTS; at++) yield [entry, at, numberAt(at), `+${numberAt(at)}`, `crm-${at}`];
}

/** Calls that were placed. */
async function writeCalls(rows: Rows, service: string): Promise<void> {
  await rows.write(async (sql) => {
    for (let entry = 1; entry <= CALLS; entry++) {
      const request = {
        use_agent_id: 1,
        called_to: `+1415${5_000_000 + (entry % 1_000_000)}`,
        call_from: '+14155550100',
        custom_first_line: 'Hello, this is Ava from the Harbour Clinic.',
        custom_identifiers: `crm-${entry}`,
      };
      await insertRequest(sql, entry, { ...SENT, service, operation: 'triggerCall', request }, { at: AT });
    }
    await sql.run(`update requests set outcome = 'accepted', reply = '{}', ended_at = sent_at`);
  });
}
