/** `plan results` of a million contacts with 1.5 million calls, beside `contacts check` of the same rows. */
import type { Called, PlanEvent } from '../../src/plans/rules/events.ts';
import { KeptRows } from '../../src/text/kept-rows.ts';
import { makePlan, planAt, planDraft, planRules, somePeople } from '../support/stored-plans.ts';
import { median } from './measure.ts';
import { type Measured, Workplace } from './workplace.ts';

const CONTACTS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
const CALLS = Math.floor(CONTACTS * 1.5);
const ROUNDS = 3;
const COMMITTED_TOGETHER = 50_000;
const START = Date.parse('2026-11-20T09:00:00Z');

const place = new Workplace();
try {
  const state = place.path('.local/state/vagent');
  const rows = new KeptRows(['Name', 'Phone', 'City']);
  const people = somePeople(CONTACTS, { rows });
  for (const [row, { phone_number }] of people.contacts.entries())
    rows.add([`Name ${row}`, phone_number, 'Springfield']);
  await makePlan(state, people, planDraft({ rules: planRules({ retry: { busy: 60_000 }, maxAttempts: 3 }) }));
  await planAt(state).change(async (session) => {
    for (let first = 0; first < CALLS; first += COMMITTED_TOGETHER) await session.commit(eventsFrom(first));
  });

  const checked: Measured[] = [];
  const results: Measured[] = [];
  const contacts = place.contacts(CONTACTS);
  for (let round = 0; round < ROUNDS; round++) {
    checked.push(place.vagent('contacts', 'check', contacts, '--json'));
    results.push(place.vagent('plan', 'results', '1', '--out', place.path('results.csv')));
  }
  process.stdout.write(`${CONTACTS} contacts, ${CALLS} calls, median of ${ROUNDS}\n`);
  print('contacts check', checked);
  print('plan results (at most 300 MB)', results);

  function print(title: string, measured: readonly Measured[]): void {
    const time = (all: readonly Measured[]) => median(all.map(({ milliseconds }) => milliseconds));
    const memory = Math.max(...measured.map(({ megabytes }) => megabytes));
    const figures = `${(time(measured) / 1000).toFixed(2)} s  ${(time(measured) / time(checked)).toFixed(2)}×`;
    process.stdout.write(`  ${title.padEnd(40)} ${figures}  ${memory.toFixed(0)} MB\n`);
  }
} finally {
  place.remove();
}

/** A wave of all contacts first, then one of half of them; the calls in the order of time, each with what a service sends. */
function eventsFrom(first: number): PlanEvent[] {
  const events: PlanEvent[] = [];
  for (let call = first; call < Math.min(CALLS, first + COMMITTED_TOGETHER); call++) {
    const wave = call < CONTACTS ? 1 : 2;
    const row = (call * 7919) % CONTACTS;
    if (call === 0) events.push(handed(1, CONTACTS));
    if (call === CONTACTS) events.push(handed(2, CALLS - CONTACTS));
    events.push(called(row, wave, call));
  }
  return events;
}

function handed(wave: number, contacts: number): PlanEvent {
  return {
    ...{ event: 'handed', at: START, wave, from: '+14155550100', start: START, interval: 1, rows: [0, contacts] },
  };
}

function called(row: number, wave: number, nth: number): Called {
  const isReached = wave === 2 || nth % 2 === 1;
  return {
    ...{ event: 'called', at: START + nth, row, wave, result: isReached ? 'reached' : 'busy' },
    ...(isReached
      ? { status: 'completed', outcome: 'not_interested', seconds: 83 }
      : { status: 'busy', outcome: 'not_connected', seconds: 0 }),
    call_id: `call_${String(nth).padStart(20, '0')}`,
    ...(isReached && { recording_url: `https://recordings.example/2026/11/20/${String(nth).padStart(20, '0')}.mp3` }),
  };
}
