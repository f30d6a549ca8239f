/**
 * Whatever is changed by hand, in any column of any row or any byte of any file: a check reports it, or every command works and calls the
 * people whom the store names, each as often as is left.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Contact, localCredentials } from '../../src/contract.ts';
import { resumeCampaign, topUp } from '../../src/engine/controls.ts';
import { EVERY_CALL } from '../../src/engine/handlers.ts';
import type { Campaign, State } from '../../src/engine/state.ts';
import { FileError, VagentError } from '../../src/errors.ts';
import { allOf } from '../../src/local/check-all.ts';
import { copyOrganizations } from '../../src/local/copy.ts';
import type { Root } from '../../src/local/json/root.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import type { Snapshot } from '../../src/local/store.ts';
import { EPOCH, testEngine } from '../support/engine.ts';
import { engineOver, hastyFiles } from '../support/faulty-files.ts';
import { advance, change, lived } from '../support/lived.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { postgresEngine } from '../support/postgres-engine.ts';
import { temporaryFolder } from '../support/program.ts';
import { sql } from '../support/sql.ts';

/** `VAGENT_HAND_CHANGES=5000` makes so many, of each kind. */
const MANY = process.env.VAGENT_HAND_CHANGES;
const CHANGES = Number(MANY ?? 25);
/** Each needs tables of its own. */
const IN_TABLES = Number(MANY ?? 10);
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

const CHECK = { signal: new AbortController().signal, onCall: () => {} };

/** What a check finds; a refusal that says what is damaged is one. */
async function problemsIn({ organizations }: LocalEngine): Promise<string[]> {
  try {
    const { problems } = await allOf(organizations).check(CHECK);
    return problems.map(({ file, message }) => `${file} ${message}`);
  } catch (error) {
    if (error instanceof FileError) return [error.message];
    throw error;
  }
}

const ORGANIZATIONS = [1, 2, 3];

async function snapshotOf({ organizations }: LocalEngine, organizationId: number): Promise<Snapshot> {
  const store = await organizations.storeOf(organizationId);
  expect(await store?.glance()).toBe('sound');
  return (await store?.snapshot()) as Snapshot;
}

/** Everything is read, as the commands that show it do. */
async function read(engine: LocalEngine): Promise<void> {
  await engine.organizations.list();
  await engine.organizations.nextIds();
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
  await copyOrganizations(engine.organizations, testEngine().organizations, () => {});
}

/** Other values that a person may write in the place of one. */
function others(value: unknown, ofOthers: readonly unknown[]): unknown[] {
  const number = typeof value === 'number' ? value : Number(value);
  const numbers = [0, 1, 2, -1, number + 1, number - 1, number * 10, 2_000_000_000, Number.MAX_SAFE_INTEGER];
  const texts = ['', ' ', 'abc', '+14155550199', '"', '\n', `${value}0`, String(value).slice(1), 'paused', 'completed'];
  const isNumber = value !== null && value !== '' && Number.isFinite(number);
  return [null, ...(isNumber ? numbers : []), ...(typeof value === 'number' ? [] : texts), ...ofOthers];
}

/** Changes of a root, what a check says of them, and what every command says that needs the store. */
const OF_ROOTS: [string, (state: State) => unknown, string][] = [
  [
    'a campaign that is completed',
    ({ campaigns: [, two] }) => Object.assign(two ?? {}, { status: 'completed' }),
    'has campaign 2 with another end than its contacts have',
  ],
  [
    'a pause without a reason',
    ({ campaigns: [, , three] }) => Object.assign(three ?? {}, { reason: null }),
    'has campaign 3 with a reason for a pause that is none',
  ],
  [
    'an agent that does not call',
    ({ agents: [one] }) => Object.assign(one ?? {}, { status: 'draft' }),
    'has campaign 2 call with agent 1, which is draft',
  ],
  [
    'a voice of nobody',
    ({ agents: [one] }) => Object.assign(one ?? {}, { voice_id: 999 }),
    'has agent 1 with a voice that does not exist',
  ],
  [
    'a number of letters',
    ({ organization }) => organization.numbers.push('abc'),
    'has numbers of its own that are none',
  ],
  [
    'a line that is none',
    ({ campaigns: [, two] }) => Object.assign(two ?? {}, { call_from: '"' }),
    'has campaign 2 with a number to call from that is none',
  ],
  [
    'attempts of nobody',
    ({ campaigns: [, two] }) => Object.assign(two ?? {}, { attempts: 1 }),
    'has campaign 2 with attempts that cannot be',
  ],
  [
    'an id that is still to be given',
    (state) => Object.assign(state, { next_campaign_id: 2 }),
    'has an agent or a campaign whose id is still to be given',
  ],
  [
    'rates of more than all',
    ({ scenario }) => Object.assign(scenario, { busy_rate: 0.9 }),
    'has a scenario whose rates do not add up to 1',
  ],
  [
    'a count near the end of all numbers',
    (state) => Object.assign(state, { next_call_number: 2 ** 53 - 1 }),
    'counts further than numbers are exact',
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

  async function examine(what: string, damage: (folder: string) => string): Promise<boolean> {
    const folder = copied();
    const where = `seed ${SEED}, ${what}: ${damage(folder)}`;
    const engine = engineOver(hastyFiles, folder);
    if ((await problemsIn(engine)).length > 0) return true;
    await use(engine).catch((error) => {
      throw new Error(`${where}: ${error.message}`, { cause: error });
    });
    return false;
  }

  test.each(OF_ROOTS)('%s is told, and refused by whatever needs the store', async (_what, edit, says) => {
    const folder = copied();
    const path = join(folder, 'store.json');
    const root = JSON.parse(readFileSync(path, 'utf8')) as Root;
    edit(root.state);
    writeFileSync(path, JSON.stringify(root));
    const engine = engineOver(hastyFiles, folder);
    expect(await problemsIn(engine)).toContain(`store.json ${says}`);
    const refusal = { exitCode: 9, code: 'store_damaged', message: expect.stringContaining(says) };
    await expect(engine.store.snapshot()).rejects.toMatchObject(refusal);
    await expect(engine.timeline.change(() => {})).rejects.toMatchObject(refusal);
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify(root));
  });

  test('another key than the commands use is told, repaired, and known to whoever has it', async () => {
    const folder = copied();
    const path = join(folder, 'store.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"local-demo-key"', '"sesame"'));
    const engine = engineOver(hastyFiles, folder);
    expect(await problemsIn(engine)).toEqual(['store.json has another key than the commands use']);
    await engine.backend({ organization_id: 1, api_key: 'sesame' }).getAgents({});
    await engine.store.repair({ ...CHECK, systemNow: () => EPOCH });
    await engine.backend(localCredentials(1)).getAgents({});
  });

  test('what nobody can know anew is not repaired, and nothing is touched', async () => {
    const folder = copied();
    const path = join(folder, 'store.json');
    const damaged = readFileSync(path, 'utf8').replace('"voice_id":1', '"voice_id":99');
    writeFileSync(path, damaged);
    const names = readdirSync(folder);
    const repair = engineOver(hastyFiles, folder).store.repair({ ...CHECK, systemNow: () => EPOCH });
    await expect(repair).rejects.toMatchObject({
      exitCode: 9,
      message: 'This cannot be repaired: store.json has agent 1 with a voice that does not exist.',
    });
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([damaged, names]);
  });

  test(
    'any byte of any file',
    async () => {
      const pick = randomFrom(SEED);
      let reported = 0;
      for (let at = 0; at < CHANGES; at++) {
        const isReported = await examine(`change ${at}`, (folder) => {
          const path = pick(filesIn(folder));
          const bytes = readFileSync(path);
          const place = pick(Array.from(bytes.keys()));
          const before = bytes[place] as number;
          bytes[place] = pick([...Buffer.from('0123456789"{}[],:\n ae'), before ^ 1, 0, 255]);
          writeFileSync(path, bytes);
          return `${path.slice(folder.length)} at ${place}, ${before} to ${bytes[place]}`;
        });
        if (isReported) reported += 1;
      }
      expect(reported).toBeGreaterThan(CHANGES / 5);
    },
    HOUR,
  );

  test(
    'any value of any root',
    async () => {
      const pick = randomFrom(SEED);
      let reported = 0;
      for (let at = 0; at < CHANGES; at++) {
        const isReported = await examine(`change ${at}`, (folder) => {
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
        if (isReported) reported += 1;
      }
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

describePostgres('in a database', () => {
  /** Tables, rows and numbers of another schema, in one of its own. */
  async function cloned(url: string): Promise<string> {
    const [from, clone] = [new URL(url).searchParams.get('schema'), ownSchema()];
    const to = new URL(clone).searchParams.get('schema');
    const tables = await sql<{ name: string }>(
      url,
      `select tablename as name from pg_tables where schemaname = '${from}'`,
    );
    const statements = tables.map(
      ({ name }) => `create table ${to}.${name} (like ${from}.${name} including all);
        insert into ${to}.${name} overriding system value select * from ${from}.${name};`,
    );
    await sql(
      url,
      `create schema ${to}; ${statements.join('\n')}
       select setval(pg_get_serial_sequence('${to}.wallet_changes', 'change_id'), max(change_id)) from ${to}.wallet_changes;
       create view ${to}.wallet_movements as
         select organization_id, at, kind, amount, null::bigint as call_number from ${to}.wallet_changes
         union all select organization_id, at, 'charge', -charge, call_number from ${to}.calls where charge > 0;`,
    );
    return clone;
  }

  test.each([
    [
      'a contact that is gone',
      'delete from contacts where campaign_id = 2 and contact = 20',
      'contact 20 of campaign 2 is missing',
    ],
    [
      'a retry that is gone',
      'delete from retries where campaign_id = 2 and number = (select max(number) from retries where campaign_id = 2)',
      'of campaign 2 is missing',
    ],
    [
      'a number that is none',
      `update contacts set phone_number = 'abc' where campaign_id = 2 and contact = 20`,
      'has no number that can be called',
    ],
    [
      'a status of its own',
      `update campaigns set status = 'completed' where campaign_id = 2`,
      'has campaign 2 with another end than its contacts have',
    ],
  ])('%s is told, and refused before anybody is called in its place', async (_what, statement, says) => {
    const engine = postgresEngine();
    await lived(engine);
    const [before] = await sql<{ n: number }>(engine.url, 'select count(*)::int as n from calls');
    await sql(engine.url, statement);
    expect(await problemsIn(engine)).not.toEqual([]);
    const fresh = postgresEngine({ url: engine.url, dialsOfCommit: 10_000 });
    const refusal = { exitCode: 9, message: expect.stringContaining(says) };
    await expect(advance(fresh, 1, 'idle')).rejects.toMatchObject(refusal);
    expect(await sql(engine.url, 'select count(*)::int as n from calls')).toEqual([before]);
  });

  test('an id that another organization has is never taken from it', async () => {
    const engine = postgresEngine();
    await lived(engine);
    await sql(engine.url, 'update engine set next_agent_id = 2');
    const create = postgresEngine({ url: engine.url })
      .backend(localCredentials(1))
      .createAgent({ agent_name: 'Bo', base_prompt: 'Hm.', voice_id: 2 });
    await expect(create).rejects.toMatchObject({ exitCode: 9, code: 'store_damaged' });
    expect(await sql(engine.url, 'select organization_id::int as id from agents where agent_id = 2')).toEqual([
      { id: 2 },
    ]);
  });

  test(
    'any column of any row, and any row that is gone',
    async () => {
      const source = postgresEngine();
      await lived(source);
      const { url } = source;
      const pick = randomFrom(SEED);
      const columns = await sql<Column>(
        url,
        `select table_name as table, column_name as column, data_type as type from information_schema.columns
         where table_schema = current_schema() and table_name not in ('last_commits', 'wallet_movements')
         order by 1, 2`,
      );
      let reported = 0;
      let changed = 0;
      while (changed < IN_TABLES) {
        const { table, column } = pick(columns);
        const rows = await sql<{ place: string; value: unknown }>(
          url,
          `select ctid::text as place, to_jsonb(t)->'${column}' as value from ${table} t order by t::text`,
        );
        const row = pick(rows);
        const isGone = pick([true, false, false, false, false, false]);
        const texts = rows.map(({ value }) => value);
        const value = pick(others(row.value, [pick(texts), pick(texts)]));
        const what = isGone
          ? `delete from ${table} where ctid = '${row.place}'`
          : `update ${table} t set ${column} = (jsonb_populate_record(t, $1)).${column} where ctid = '${row.place}'`;
        const where = `seed ${SEED}, change ${changed}: ${what} ${isGone ? '' : JSON.stringify({ [column]: value })}, was ${JSON.stringify(row.value)}`;
        const values = isGone ? [] : [JSON.stringify({ [column]: value })];
        const clone = await cloned(url);
        const cloneRow = await sql<{ place: string }>(
          clone,
          `select ctid::text as place from ${table} t order by t::text offset ${rows.indexOf(row)} limit 1`,
        );
        const statement = what.replace(row.place, cloneRow[0]?.place ?? '');
        // What the tables themselves refuse nobody can do.
        const isDone = await sql(clone, statement, values).then(
          () => true,
          () => false,
        );
        if (!isDone) continue;
        changed += 1;
        const engine = postgresEngine({ url: clone, dialsOfCommit: 10_000 });
        if ((await problemsIn(engine)).length > 0) {
          reported += 1;
          continue;
        }
        await use(engine).catch((error) => {
          throw new Error(`${where}: ${error.message}`, { cause: error });
        });
      }
      expect(reported).toBeGreaterThan(0);
    },
    HOUR,
  );
});
