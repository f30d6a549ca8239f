/**
 * Whatever is changed by hand, in any column of any row or any byte of any file: a check reports it, or every command works and
 * calls the people whom the store names, each as often as is left.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Contact, localCredentials } from '../../src/contract.ts';
import type { Retry } from '../../src/engine/campaigns.ts';
import { resumeCampaign, topUp } from '../../src/engine/controls.ts';
import { EVERY_CALL } from '../../src/engine/handlers.ts';
import type { Campaign, State } from '../../src/engine/state.ts';
import { FileError, VagentError } from '../../src/errors.ts';
import { copyStore } from '../../src/local/copy.ts';
import type { QueueExtent, Root, Segment } from '../../src/local/json/root.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { checkAll, organizationFacts } from '../../src/local/organizations.ts';
import type { NextIds, Snapshot } from '../../src/local/store.ts';
import { casesBeside } from '../support/cases.ts';
import { testEngine } from '../support/engine.ts';
import { engineOver, hastyFiles } from '../support/faulty-files.ts';
import { advance, change, lived } from '../support/lived.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { postgresEngine } from '../support/postgres-engine.ts';
import { temporaryFolder } from '../support/program.ts';
import { connected } from '../support/sql.ts';

/** `VAGENT_HAND_CHANGES=5000` makes so many, of each kind. */
const MANY = process.env.VAGENT_HAND_CHANGES;
const CHANGES = Number(MANY ?? 12);
const IN_TABLES = Number(MANY ?? 5);
const HOUR = 3_600_000;
const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);

/** A small generator, so that a run can be repeated by its seed. */
function randomFrom(seed: number): <T>(list: readonly T[]) => T {
  let state = seed + 1;
  return (list) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)] as never;
  };
}

const cases = casesBeside(import.meta.filename, {
  LAST: '(select max(number) from retries where campaign_id = 2)',
  NEXT: '(select retries_taken from campaigns where campaign_id = 2)',
});

const CHECK = { signal: new AbortController().signal, onCall: () => {} };

/** What a check finds; a refusal that says what is damaged is one. */
async function problemsIn({ store }: LocalEngine, what: 'all' | 'first' = 'all'): Promise<string[]> {
  try {
    const { problems } = await (what === 'all' ? checkAll(store, CHECK) : store.check(CHECK, 1));
    return problems.map(({ file, message }) => `${file} ${message}`);
  } catch (error) {
    if (error instanceof FileError) return [error.message];
    throw error;
  }
}

const ORGANIZATIONS = [1, 2, 3];

async function snapshotOf({ store }: LocalEngine, organizationId: number): Promise<Snapshot> {
  expect(await store.glance(organizationId)).toBe('sound');
  return (await store.snapshot(organizationId)) as Snapshot;
}

/** Everything is read, as the commands that show it do. */
async function read(engine: LocalEngine): Promise<void> {
  await organizationFacts(engine.store);
  await engine.store.nextIds();
  for (const organizationId of ORGANIZATIONS) {
    const snapshot = await snapshotOf(engine, organizationId);
    await snapshot.callCounts?.(EVERY_CALL);
    for (const agentId of [undefined, ...snapshot.state.agents.map(({ agent_id }) => agent_id)]) {
      const { calls, total } = await snapshot.callPage({ ...EVERY_CALL, agentId }, 1_000, 0);
      expect(calls).toHaveLength(total);
    }
    for (const { campaign_id, total_contacts } of snapshot.state.campaigns) {
      const rows = await snapshot.rowsOf(campaign_id);
      if (rows !== undefined) expect([...rows.rows]).toHaveLength(total_contacts);
    }
  }
}

/** Who is still to be called by a campaign, as the store names them: how often at most, in the order of their first calls. */
async function peopleOf(snapshot: Snapshot, { campaign_id, next_contact, retry_attempts }: Campaign) {
  const contacts: Contact[] = [...(await snapshot.contactsOf(campaign_id))];
  const left = new Map<string, number>();
  const add = (phone: string, attempts: number) => left.set(phone, (left.get(phone) ?? 0) + attempts);
  const { numbers, retries } = await snapshot.waitingOf(campaign_id);
  expect(numbers).toEqual(contacts.slice(next_contact).map(({ phone_number }) => phone_number));
  for (const { index, attempt } of retries)
    add((contacts[index] as Contact).phone_number, 2 + retry_attempts - attempt);
  for (const phone of numbers) add(phone, 1 + retry_attempts);
  return { left, count: numbers.length + retries.length };
}

/** Plays everything to its end; whoever is called is one of those who were to be, and nobody is left out. */
async function play(engine: LocalEngine, organizationId: number): Promise<void> {
  const before = await snapshotOf(engine, organizationId);
  const { state } = before;
  const left = new Map<string, number>();
  const mustCall = new Set<string>();
  for (const campaign of state.campaigns) {
    const { left: people } = await peopleOf(before, campaign);
    for (const [phone, attempts] of people) left.set(phone, (left.get(phone) ?? 0) + attempts);
    for (const phone of people.keys()) mustCall.add(phone);
  }
  const known = (await before.callPage(EVERY_CALL, 1, 0)).total;
  await change(engine, organizationId, ({ state: now }) => {
    if (now.organization.balance < 1e14) topUp(now, 1e14);
  });
  for (const { campaign_id, status } of state.campaigns)
    if (status === 'paused')
      await asked(change(engine, organizationId, ({ state: it }, now) => resumeCampaign(it, campaign_id, now)));
  await advance(engine, organizationId, 'idle');
  const after = await snapshotOf(engine, organizationId);
  const { calls, total } = await after.callPage(EVERY_CALL, 10_000, 0);
  for (const { called_to } of calls.slice(0, total - known)) {
    left.set(called_to, (left.get(called_to) ?? 0) - 1);
    expect(left.get(called_to), `calls left of ${called_to}`).toBeGreaterThanOrEqual(0);
    mustCall.delete(called_to);
  }
  // What is put off beyond the calendar is never called.
  const isAtEnd = after.state.campaigns.every(({ status }) => status === 'completed');
  if (isAtEnd) expect([...mustCall]).toEqual([]);
}

/** What the service answers, be it a refusal; anything else fails. */
async function asked(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof VagentError) || error.status === undefined) throw error;
  });
}

async function use(engine: LocalEngine): Promise<void> {
  await read(engine);
  for (const organizationId of [1, 2]) {
    await play(engine, organizationId);
    const service = engine.backend(localCredentials(organizationId));
    const from = { call_from: '+14155550100', custom_identifiers: '' };
    await asked(
      service.triggerCall({
        ...from,
        use_agent_id: organizationId,
        called_to: '+14155550190',
        custom_first_line: 'Hm.',
      }),
    );
    const contacts = [{ phone_number: '+14155550190' }];
    await asked(service.createCampaign({ ...from, campaign_name: 'More', agent_id: organizationId, contacts }));
    await service.createAgent({ agent_name: 'Bo', base_prompt: 'Hm.', voice_id: 2 });
    await service.getAgents({ limit: 1_000 });
    await service.getCallLogs({ start_date: '2026-11-20', limit: 1_000 });
    await advance(engine, organizationId, 'idle');
  }
  await read(engine);
  expect(await problemsIn(engine)).toEqual([]);
}

/** A copy reads everything several times: in a usual run, one of a few is made. */
const COPIED_EVERY = MANY === undefined ? 4 : 1;

async function expectUsable(engine: LocalEngine, where: string, at: number): Promise<void> {
  try {
    await use(engine);
    const target = engineOver(hastyFiles, join(temporaryFolder(), 'copy')).store;
    if (at % COPIED_EVERY === 0) await copyStore(engine.store, target, () => {});
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
}

/** Other values that a person may write in the place of one. */
function others(value: unknown, ofOthers: readonly unknown[]): unknown[] {
  const number = typeof value === 'number' ? value : Number(value);
  const numbers = [0, 1, 2, -1, number + 1, number - 1, number * 10, 2_000_000_000, Number.MAX_SAFE_INTEGER];
  const texts = ['', ' ', 'abc', '+14155550199', '"', '\n', `${value}0`, String(value).slice(1), 'paused', 'completed'];
  const isNumber = value !== null && value !== '' && Number.isFinite(number);
  return [null, ...(isNumber ? numbers : []), ...(typeof value === 'number' ? [] : texts), ...ofOthers];
}

const two = (fields: Partial<Campaign>) => (state: State) => Object.assign(state.campaigns[1] as Campaign, fields);
const agent = (fields: object) => (state: State) => Object.assign(state.agents[0] as object, fields);

/** What a check says of a changed root, and every command that needs the store. */
const OF_ROOTS: [string, (state: State) => unknown][] = [
  ['has campaign 2 with another end than its contacts have', two({ status: 'completed' })],
  [
    'has campaign 3 with a reason for a pause that is none',
    ({ campaigns: [, , three] }) => Object.assign(three ?? {}, { reason: null }),
  ],
  ['has campaign 2 call with agent 1, which is draft', agent({ status: 'draft' })],
  ['has agent 1 with a voice that does not exist', agent({ voice_id: 999 })],
  ['has numbers of its own that are none', ({ organization }) => organization.numbers.push('abc')],
  ['has campaign 2 with a number to call from that is none', two({ call_from: '"' })],
  ['has campaign 2 with attempts that cannot be', two({ attempts: 1 })],
  [
    'has an agent or a campaign whose id is still to be given',
    (state) => Object.assign(state, { next_campaign_id: 2 }),
  ],
  ['has a scenario whose rates do not add up to 1', ({ scenario }) => Object.assign(scenario, { busy_rate: 0.9 })],
  [
    'counts further than numbers are exact',
    (state) => Object.assign(state, { next_call_number: Number.MAX_SAFE_INTEGER }),
  ],
  [
    'has a scenario with a price out of bounds',
    ({ scenario }) => Object.assign(scenario, { price_per_minute: Number.MAX_SAFE_INTEGER }),
  ],
];

function inJson<T>(path: string, edit: (value: T) => unknown): void {
  const value = JSON.parse(readFileSync(path, 'utf8')) as T;
  edit(value);
  writeFileSync(path, JSON.stringify(value));
}

const root = (edit: (root: Root) => unknown) => (folder: string) => inJson(join(folder, 'store.json'), edit);
/** Of campaign 2, which calls: contacts 10 and 11 wait for another attempt, 20 was not called. */
const inLines = (file: string, edit: (lines: string[]) => unknown) => (folder: string) => {
  const path = join(folder, file);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  edit(lines);
  writeFileSync(path, `${lines.join('\n')}\n`);
};
const [CONTACTS, RETRIES, CALLS] = ['campaigns/2/contacts.jsonl', 'campaigns/2/retries.jsonl', 'calls/000001.jsonl'];
const inRetry = (at: number, edit: (retry: Retry) => unknown) =>
  inLines(RETRIES, (lines) => {
    const retry = JSON.parse(lines.at(at) as string) as Retry;
    edit(retry);
    lines.splice(at, 1, JSON.stringify(retry));
  });
const queue = (edit: (queue: QueueExtent) => unknown) => root(({ queues: [, two] }) => edit(two as QueueExtent));
const campaign = (edit: (two: Campaign) => unknown) => root(({ state }) => edit(state.campaigns[1] as Campaign));
const segment = (edit: (one: Segment) => unknown) => root(({ segments: [one] }) => edit(one as Segment));

/** What a check says first, and changes of what the engine plays from. */
const OF_FILES: [string, (folder: string) => unknown][] = [
  ['is a retry of another contact than it names', inRetry(-1, (retry) => retry.index++)],
  ['is a retry of a contact that waits for none', inRetry(-1, (retry) => (retry.index = 20))],
  ['is a retry beyond those of its campaign', inRetry(-1, (retry) => retry.attempt++)],
  ['is a retry beyond those of its campaign', inRetry(-1, (retry) => (retry.attempt = 1))],
  ['is due before the one above it', inRetry(-1, (retry) => (retry.due -= HOUR))],
  ['continues with a retry due at another time', inRetry(-2, (retry) => retry.due++)],
  ['another contact', inRetry(-1, ({ contact }) => (contact.phone_number = '+14155550177'))],
  ['waits for none', inLines(RETRIES, (lines) => lines.splice(-1, 1, lines.at(-2) as string))],
  ['due before', inLines(RETRIES, (lines) => lines.push(...lines.splice(-2, 1)))],
  ['bytes, but', inLines(RETRIES, (lines) => lines.pop())],
  ['retries.jsonl is missing', (folder) => rmSync(join(folder, RETRIES))],
  ['waits for none', queue(({ retries }) => (retries.taken = 0))],
  ['but the root counts 2', queue(({ retries }) => (retries.taken = retries.bytes))],
  [
    'is a retry of another contact than it names',
    inLines(CONTACTS, (lines) => lines.splice(11, 1, (lines[11] as string).replace('1011', '1077'))),
  ],
  ['is cut off', inLines(CONTACTS, (lines) => lines.splice(20, 0, lines[20] as string))],
  ['bytes, but', inLines(CONTACTS, (lines) => lines.splice(20, 1))],
  ['contacts.jsonl is missing', (folder) => rmSync(join(folder, CONTACTS))],
  ['but the root counts 26', queue(({ contacts }) => (contacts.taken = 0))],
  ['but the root counts 27', campaign((two) => two.total_contacts++)],
  ['but the root counts 25', campaign((two) => two.total_contacts--)],
  ['due at another time than the root says', campaign((two) => (two.retry_due = 0))],
  ['beyond those of its campaign', campaign((two) => (two.retry_attempts = 1))],
  ['but the root says', segment((one) => (one.last = one.first))],
  ['but the root says', segment((one) => (one.last = '2030-01-01T00:00:00.000Z'))],
  ['holds 0 calls, but 49 were committed', segment((one) => (one.bytes = 0))],
  ['is cut off', segment((one) => one.bytes--)],
  ['counts 49 more calls than the log holds', root((it) => (it.segments = []))],
  ['bytes, but', inLines(CALLS, (lines) => lines.pop())],
  [
    "is later than the store's clock",
    inLines(CALLS, (lines) => lines.splice(-1, 1, (lines.at(-1) as string).replace(':19:00.000Z', ':19:00.001Z'))),
  ],
  ['counts 1 more calls than the log holds', root(({ state }) => state.next_call_number++)],
  ['has a call_id that was never given', root(({ state }) => state.next_call_number--)],
  ['counts fewer calls', root(({ state }) => state.calls_before_reset++)],
  ["later than the store's clock", root(({ state }) => state.clock.last--)],
];

/** What else a folder keeps, and what needs it. */
const OF_ORGANIZATIONS: [string, (folder: string) => void, (engine: LocalEngine) => Promise<unknown>][] = [
  [
    'organizations/2 is missing',
    (folder) => rmSync(join(folder, 'organizations/2'), { recursive: true }),
    ({ store }) => organizationFacts(store),
  ],
  [
    'organizations/3 is missing',
    (folder) => rmSync(join(folder, 'organizations/3/store.json')),
    ({ store }) => store.nextIds(),
  ],
  [
    'campaigns/2/rows.jsonl does not hold the original row of each contact',
    (folder) => rmSync(join(folder, 'campaigns/2/rows.jsonl')),
    async ({ timeline }) => (await timeline.stored()).rowsOf(2),
  ],
  [
    'organizations/ids.json would give agents ids that were given already: next_agent_id is 3, and must be 4 or more',
    (folder) => inJson<NextIds>(join(folder, 'organizations/ids.json'), (ids) => ids.next_agent_id--),
    ({ backend }) => backend(localCredentials(1)).createAgent({ agent_name: 'Bo', base_prompt: 'Hm.', voice_id: 2 }),
  ],
];

describe('in a folder', () => {
  let sound: string;
  beforeAll(async () => {
    const engine = testEngine();
    await lived(engine);
    sound = engine.folder;
  });
  function copied(): string {
    const folder = join(temporaryFolder(), 'store');
    cpSync(sound, folder, { recursive: true });
    return folder;
  }
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'lock')
      .map((entry) => join(entry.parentPath, entry.name));

  /** Makes changes until it is enough of them; how many are reported. */
  async function examine(damage: (folder: string) => string): Promise<number> {
    let reported = 0;
    for (let at = 0; at < CHANGES; at++) {
      const folder = copied();
      const where = `seed ${SEED}, change ${at}: ${damage(folder)}`;
      const engine = engineOver(hastyFiles, folder);
      const problems = await problemsIn(engine);
      if (problems.length > 0) reported += 1;
      else await expectUsable(engine, where, at);
    }
    return reported;
  }

  test.each(OF_ROOTS)('%s is told, and refused by whatever needs the store', async (says, edit) => {
    const folder = copied();
    const path = join(folder, 'store.json');
    inJson<Root>(path, ({ state }) => edit(state));
    const changed = readFileSync(path, 'utf8');
    const engine = engineOver(hastyFiles, folder);
    expect(await problemsIn(engine, 'first')).toContain(`store.json ${says}`);
    const refusal = { exitCode: 9, code: 'store_damaged', message: expect.stringContaining(says) };
    await expect(engine.timeline.stored()).rejects.toMatchObject(refusal);
    await expect(engine.timeline.change(() => {})).rejects.toMatchObject(refusal);
    expect(readFileSync(path, 'utf8')).toBe(changed);
  });

  test('another key than the commands use is told, and known to whoever has it', async () => {
    const folder = copied();
    const path = join(folder, 'store.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"local-demo-key"', '"sesame"'));
    const engine = engineOver(hastyFiles, folder);
    expect(await problemsIn(engine)).toEqual(['store.json has another key than the commands use']);
    await engine.backend({ organization_id: 1, api_key: 'sesame' }).getAgents({});
  });

  test.each(OF_FILES)('%s is told, and refused before anybody is called', async (says, edit) => {
    const folder = copied();
    edit(folder);
    const before = readFileSync(join(folder, 'store.json'));
    const [problem] = await problemsIn(engineOver(hastyFiles, folder), 'first');
    expect(problem).toContain(says);
    await expect(advance(engineOver(hastyFiles, folder), 1, 'idle')).rejects.toMatchObject({ exitCode: 9 });
    expect(readFileSync(join(folder, 'store.json'))).toEqual(before);
  });

  test.each(OF_ORGANIZATIONS)('%s is told, and refused where it is asked for', async (says, edit, ask) => {
    const folder = copied();
    edit(folder);
    const engine = engineOver(hastyFiles, folder);
    expect(await problemsIn(engine)).toContain(says);
    await expect(ask(engine)).rejects.toMatchObject({ exitCode: 9 });
  });

  test('an agent of two organizations is told', async () => {
    const folder = copied();
    inJson<Root>(join(folder, 'organizations/2/store.json'), ({ state }) => {
      state.organization.demo_agent_id = 1;
    });
    expect(await problemsIn(engineOver(hastyFiles, folder))).toEqual([
      'organizations/2/store.json has agent 1, which organization 1 has',
    ]);
  });

  test(
    'any byte of any file, or all from there',
    async () => {
      const pick = randomFrom(SEED);
      const reported = await examine((folder) => {
        const path = pick(filesIn(folder));
        const bytes = readFileSync(path);
        const place = pick(Array.from(bytes.keys()));
        const before = bytes[place] as number;
        bytes[place] = pick([...Buffer.from('0123456789"{}[],:\n ae'), before ^ 1, 0, 255]);
        const isCut = pick([false, false, true]);
        writeFileSync(path, isCut ? bytes.subarray(0, place) : bytes);
        return `${path.slice(folder.length)} at ${place}, ${before} to ${isCut ? 'the end' : bytes[place]}`;
      });
      expect(reported).toBeGreaterThan(CHANGES / 5);
    },
    HOUR,
  );

  test(
    'any value of any root',
    async () => {
      const pick = randomFrom(SEED);
      const reported = await examine((folder) => {
        const path = pick(filesIn(folder).filter((name) => name.endsWith('.json')));
        const root = JSON.parse(readFileSync(path, 'utf8'));
        const values: [Record<string, unknown>, string][] = [];
        const visit = (value: unknown) => {
          if (typeof value !== 'object' || value === null) return;
          for (const [name, child] of Object.entries(value)) {
            values.push([value as Record<string, unknown>, name]);
            visit(child);
          }
        };
        visit(root);
        const [holder, name] = pick(values);
        const before = JSON.stringify(holder[name]);
        holder[name] = pick(others(holder[name], [undefined]));
        writeFileSync(path, `${JSON.stringify(root)}\n`);
        return `${path.slice(folder.length)} ${name} from ${before?.slice(0, 60)} to ${JSON.stringify(holder[name])}`;
      });
      expect(reported).toBeGreaterThan(0);
    },
    HOUR,
  );
});

interface Column {
  table: string;
  column: string;
  type: string;
}

/**
 * Remembers all rows of the connection's schema in `kept`, the address of another schema; what it returns puts them back, many
 * times faster than to make another.
 */
async function remembered(client: pg.Client, kept: string): Promise<() => Promise<void>> {
  const to = new URL(kept).searchParams.get('schema');
  const { rows: tables } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = current_schema()`,
  );
  const each = (statement: (name: string) => string) => tables.map(({ name }) => statement(name)).join('\n');
  await client.query(`create schema ${to}; ${each((name) => `create table ${to}.${name} as table ${name};`)}`);
  // References between the tables hold before and after.
  const back = `begin; set local session_replication_role = replica;
    ${each((name) => `delete from ${name}; insert into ${name} overriding system value table ${to}.${name};`)} commit;`;
  return async () => void (await client.query(back));
}

describePostgres('in a database', () => {
  const url = ownSchema(afterAll);
  const kept = ownSchema(afterAll);
  let client: pg.Client;
  let restore: () => Promise<void>;
  beforeAll(async () => {
    await lived(postgresEngine({ url }));
    client = await connected(url);
    restore = await remembered(client, kept);
  });
  afterAll(() => client.end());
  const ask = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows;
  afterEach(() => restore());
  /** Changes rows, and what is read of the first organization before. */
  const byHand = (statement: string) =>
    ask(`${statement}; update organizations set commit_id = commit_id || '.' where organization_id = 1`);
  const engine = postgresEngine({ url, dialsOfCommit: 10_000 });
  const calls = () => ask<{ n: number }>('select count(*)::int as n from calls');

  const changes = cases<[string, string]>('rows of a database that somebody changes');
  test.each(changes)('%s is told, and refused before anybody is called in its place', async (says, statement) => {
    await byHand(statement);
    const before = await calls();
    expect(await problemsIn(engine, 'first')).not.toEqual([]);
    const refusal = { exitCode: 9, message: expect.stringContaining(says) };
    await expect(advance(engine, 1, 'idle')).rejects.toMatchObject(refusal);
    expect(await calls()).toEqual(before);
  });

  test('a status of a call that is none is told, and refused by whoever reads it', async () => {
    await byHand(`update calls set call_status = 'x' where organization_id = 1 and call_number = 3`);
    expect(await problemsIn(engine, 'first')).not.toEqual([]);
    const snapshot = await engine.timeline.stored();
    for (const look of [snapshot.callPage(EVERY_CALL, 1_000, 0), snapshot.callCounts?.(EVERY_CALL)])
      await expect(look).rejects.toMatchObject({ exitCode: 9, code: 'store_damaged' });
  });

  test('a migration that is made twice is told', async () => {
    await ask('delete from migrations where version = (select max(version) from migrations)');
    expect(await problemsIn(engine)).toEqual(['migrations names other versions than the tables have']);
    await expect(postgresEngine({ url }).timeline.change(() => {})).rejects.toMatchObject({ exitCode: 9 });
  });

  test('an id that another organization has is never taken from it', async () => {
    await byHand('update engine set next_agent_id = 2');
    const create = engine
      .backend(localCredentials(1))
      .createAgent({ agent_name: 'Bo', base_prompt: 'Hm.', voice_id: 2 });
    await expect(create).rejects.toMatchObject({ exitCode: 9, code: 'store_damaged' });
    expect(await ask('select organization_id::int as id from agents where agent_id = 2')).toEqual([{ id: 2 }]);
  });

  test(
    'any column of any row, and any row that is gone',
    async () => {
      const pick = randomFrom(SEED);
      const columns =
        await ask<Column>(`select table_name as table, column_name as column, data_type as type from information_schema.columns
         where table_schema = current_schema() and table_name not in ('last_commits', 'wallet_movements')
         order by 1, 2`);
      let reported = 0;
      for (let changed = 0; changed < IN_TABLES; ) {
        const { table, column } = pick(columns);
        const rows = await ask<{ place: string; value: unknown }>(
          `select ctid::text as place, to_jsonb(t)->'${column}' as value from ${table} t order by t::text`,
        );
        const row = pick(rows);
        const isGone = pick([true, false, false, false, false, false]);
        const texts = rows.map(({ value }) => value);
        const value = JSON.stringify({ [column]: pick(others(row.value, [pick(texts), pick(texts)])) });
        const what = isGone
          ? `delete from ${table} where ctid = '${row.place}'`
          : `update ${table} t set ${column} = (jsonb_populate_record(t, $1)).${column} where ctid = '${row.place}'`;
        // What the tables themselves refuse nobody can do.
        const isDone = await ask(what, isGone ? [] : [value]).then(
          () => true,
          () => false,
        );
        if (!isDone) continue;
        const where = `seed ${SEED}, change ${changed}: ${what} ${isGone ? '' : value}, was ${JSON.stringify(row.value)}`;
        const engine = postgresEngine({ url, dialsOfCommit: 10_000 });
        if ((await problemsIn(engine)).length > 0) reported += 1;
        else await expectUsable(engine, where, changed);
        changed += 1;
        await restore();
      }
      expect(reported).toBeGreaterThan(0);
    },
    HOUR,
  );
});
