/**
 * `campaign results` beside `logs export` of the same calls: of 500,000 contacts and about 1.2 million calls of a local store,
 * and over HTTP where campaigns call the same people at the same time, and others call them too. And `plan results` of a
 * million contacts with 1.5 million calls, beside `contacts check` of the same rows.
 */
import type { Called, PlanEvent } from '../../src/plans/rules/events.ts';
import { KeptRows } from '../../src/text/kept-rows.ts';
import { DAY, MINUTE } from '../../src/text/units.ts';
import { makePlan, planAt, planDraft, planRules, somePeople } from '../support/stored-plans.ts';
import { CONTACTS, campaignOf, compare, measureIn, phoneAt, sizeOf } from './workplace.ts';

const ROUNDS = 3;
const PLAN_CALLS = Math.floor(CONTACTS * 1.5);
const COMMITTED_TOGETHER = 50_000;
const START = Date.parse('2026-11-20T09:00:00Z');

await measureIn((place) => {
  const contacts = sizeOf('CONTACTS', 500_000);
  const store = ['--store', place.path('store')];
  place.vagent('local', 'topup', '900000', ...store);
  // With two retries, a contact is called about two and a half times.
  place.vagent('local', 'scenario', '--answer-rate', '0.2', ...store);
  const pace = ['--calls-per-hour', '3600000', '--retry-attempts', '2'];
  place.vagent(...campaignOf('--contacts', place.contacts(contacts), ...pace, ...store));
  place.vagent('local', 'advance', '--until-idle', ...store);
  const results = (...flags: string[]) => place.vagent('campaign', 'results', '1', ...store, ...flags);
  compare(`${contacts} contacts of a local store`, ROUNDS, {
    'logs export of their calls (at most 250 MB)': () =>
      place.vagent('logs', 'export', '--out', place.path('calls.csv'), ...store),
    'campaign results (at most 3×, 250 MB)': () => results('--out', place.path('results.csv')),
    'campaign results -o table (at most 250 MB)': () => results('--output', 'table'),
    'campaign results --transcripts': () => results('--transcripts', '--out', place.path('results.ndjson')),
  });
});

/** `elsewhere`: campaigns with the same agent, number and contacts of which nothing is known here. */
for (const { campaigns, contacts, elsewhere, most } of [
  { campaigns: 20, contacts: 500, elsewhere: 0, most: '2 s' },
  { campaigns: 8, contacts: 4_000, elsewhere: 4, most: '10 s' },
]) {
  await measureIn(async (place) => {
    const url = await place.service('dialling-log.mjs');
    const now = Date.now();
    const post = (path: string, body: unknown) => fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    await post('/clock', { now });
    const startOf = (nth: number) => new Date(now + (nth + 1) * MINUTE).toISOString();
    const flags = ['--contacts', place.contacts(contacts), '--calls-per-hour', '3600', '--retry-attempts', '1'];
    for (let nth = 0; nth < campaigns; nth++) {
      place.vagent(...campaignOf(...flags, '--start', startOf(nth), '--again', '--yes'));
    }
    const people = Array.from({ length: contacts }, (_none, row) => ({ phone_number: phoneAt(row) }));
    for (let nth = 0; nth < elsewhere; nth++)
      await post('/create-campaign', { contacts: people, start_time: startOf(nth), calls_per_hour: 1800 });
    await post('/clock', { now: now + DAY });
    const calls = (campaigns + elsewhere) * contacts;
    compare(`${campaigns} campaigns to the same ${contacts}, ${calls} calls`, ROUNDS, {
      'logs export of their calls': () => place.vagent('logs', 'export', '--out', place.path('calls.csv')),
      [`campaign results (at most ${most})`]: () =>
        place.vagent('campaign', 'results', '1', '--out', place.path('results.csv')),
    });
  });
}

await measureIn(async (place) => {
  const state = place.path('.local/state/vagent');
  const rows = new KeptRows(['Name', 'Phone', 'City']);
  const people = somePeople(CONTACTS, { rows });
  for (const [row, { phone_number }] of people.contacts.entries())
    rows.add([`Name ${row}`, phone_number, 'Springfield']);
  await makePlan(state, people, planDraft({ rules: planRules({ retry: { busy: 60_000 }, maxAttempts: 3 }) }));
  await planAt(state).change(async (session) => {
    for (let first = 0; first < PLAN_CALLS; first += COMMITTED_TOGETHER) await session.commit(eventsFrom(first));
  });
  const contacts = place.contacts();
  compare(`${CONTACTS} contacts, ${PLAN_CALLS} calls of a plan`, ROUNDS, {
    'contacts check': () => place.vagent('contacts', 'check', contacts, '--json'),
    'plan results (at most 300 MB)': () => place.vagent('plan', 'results', '1', '--out', place.path('results.csv')),
  });
});

/** A wave of all contacts first, then one of half of them; the calls in the order of time, each with what a service sends. */
function eventsFrom(first: number): PlanEvent[] {
  const events: PlanEvent[] = [];
  const hand = (wave: number, contacts: number) =>
    events.push({
      ...{ event: 'handed', at: START, wave, from: '+14155550100', start: START, interval: 1, rows: [0, contacts] },
    });
  for (let call = first; call < Math.min(PLAN_CALLS, first + COMMITTED_TOGETHER); call++) {
    if (call === 0) hand(1, CONTACTS);
    if (call === CONTACTS) hand(2, PLAN_CALLS - CONTACTS);
    events.push(called((call * 7919) % CONTACTS, call < CONTACTS ? 1 : 2, call));
  }
  return events;
}

function called(row: number, wave: number, nth: number): Called {
  const isReached = wave === 2 || nth % 2 === 1;
  const id = String(nth).padStart(20, '0');
  return {
    ...{ event: 'called', at: START + nth, row, wave, result: isReached ? 'reached' : 'busy', call_id: `call_${id}` },
    ...(isReached
      ? { status: 'completed', outcome: 'not_interested', seconds: 83 }
      : { status: 'busy', outcome: 'not_connected', seconds: 0 }),
    ...(isReached && { recording_url: `https://recordings.example/2026/11/20/${id}.mp3` }),
  };
}
