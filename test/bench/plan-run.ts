/**
 * `plan run` of a plan of a million contacts, wave after wave until everybody was called once: how long each run takes and how
 * much memory, however far the plan is. At most 2.5 s and 250 MB. Beside it, `logs list` of one page of the same service.
 */
import { MINUTE } from '../../src/text/units.ts';
import { makePlan, planDraft, planRules } from '../support/stored-plans.ts';
import { BIN, CONTACTS, type Measured, measureIn, phoneAt, print, say } from './workplace.ts';

/** A wave of half an hour is a fiftieth of the list. */
const WAVES = 50;
const CALLS_PER_HOUR = Math.ceil(CONTACTS / WAVES) * 2;
const BEGIN = Date.parse('2026-11-23T09:00:00Z');

await measureIn(async (place) => {
  const url = await place.service('dialling-log.mjs');
  const state = place.path('state');
  const contacts = Array.from({ length: CONTACTS }, (_none, row) => ({
    ...{ phone_number: phoneAt(row), custom_first_line: `Hello ${row} this is Ava`, custom_identifiers: `crm-${row}` },
  }));
  const rules = planRules({ callsPerHour: CALLS_PER_HOUR, stopOn: undefined });
  const people = { contacts, placeOf: new Uint16Array(CONTACTS), rows: undefined, redact: (text: string) => text };
  await makePlan(state, people, planDraft({ service: url, createdAt: BEGIN, rules }));

  const vagent = async (now: number, ...args: string[]): Promise<Measured> => {
    // A connection that is kept would be closed while this process waits for the command.
    const headers = { connection: 'close' };
    await fetch(`${url}/clock`, { method: 'POST', body: JSON.stringify({ now }), headers });
    const env = { VAGENT_TEST_CLOCK: new Date(now).toISOString(), VAGENT_STATE_DIR: state };
    return place.node([BIN, ...args], 0, { preloaded: ['../support/frozen-clock.cjs'], ...env });
  };
  const sending: Measured[] = [];
  const looking: Measured[] = [];
  let now = BEGIN;
  for (let wave = 1; wave <= WAVES; wave++) {
    const run = await vagent(now, 'plan', 'run', '1', '--json');
    if (JSON.parse(run.stdout).wave?.wave !== wave) throw new Error(`wave ${wave} was not submitted: ${run.stdout}`);
    sending.push(run);
    // In the midst of it, as cron would.
    looking.push(await vagent(now + 10 * MINUTE, 'plan', 'run', '1', '--json'));
    now += 31 * MINUTE;
  }
  print(`${CONTACTS} contacts in ${WAVES} waves (at most 2.5 s and 250 MB), medians`, {
    'a run that submits a wave': sending,
    'of these the first five': sending.slice(0, 5),
    'and the last five': sending.slice(-5),
    'a run in the midst of a wave': looking,
    'logs list of one page': [await vagent(now, 'logs', 'list', '--limit', '1000', '-o', 'ids')],
  });
  const longest = (runs: readonly Measured[]) => Math.max(...runs.map(({ milliseconds }) => milliseconds)).toFixed(0);
  say(`  longest of each kind: ${longest(sending)} ms, ${longest(looking)} ms`);
});
