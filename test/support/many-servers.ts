/**
 * Several `vagent serve` over one database, clients that place calls through them, and servers that are killed and replaced.
 * What must hold afterwards is asked of the database itself.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { localCredentials, type RequestOf } from '../../src/contract.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { BIN, freshEnvironment } from './program.ts';
import { sql } from './sql.ts';

export interface ManyServers {
  url: string;
  /** What the servers reach it by, if something stands between. */
  through?: string;
  /** Where the servers have their home. */
  home: string;
  servers: number;
  clients: number;
  /** Milliseconds. */
  lasts: number;
  /** How many servers are killed in each second. */
  killsASecond: number;
  /** What is done to the database instead, as often. */
  instead?: () => Promise<void>;
  /** The contacts of each organization's campaign. */
  contacts: number;
}

export interface Found {
  acknowledged: number;
  refused: number;
  kills: number;
  calls: number;
  /** What must not be; each a sentence. */
  wrong: string[];
  /** Milliseconds that something due was waiting at most, while servers were killed and replaced. */
  longestDue: number;
}

const AGENTS = [1, 2, 3];
const BALANCE = 1_000_000_000_000;
const PACE = 3_600_000;
/** Calls of a client, if nobody has had an answer. */
const MOST_TURNS = 100;

/** `engine` is one over the same, empty, schema; it makes the organizations and their campaigns. */
export async function serveByMany(engine: LocalEngine, many: ManyServers): Promise<Found> {
  const organizations = await prepared(engine, many);
  const servers = await Promise.all(Array.from({ length: many.servers }, () => Server.start(many)));
  const found: Found = { acknowledged: 0, refused: 0, kills: 0, calls: 0, wrong: [], longestDue: 0 };
  const rooms: string[] = [];
  const end = performance.now() + many.lasts;
  const isOver = () => performance.now() >= end;

  const client = async (number: number) => {
    // On a busy machine nobody may have had an answer by then.
    for (let turn = 0; !isOver() || (rooms.length === 0 && turn < MOST_TURNS); turn++) {
      const organizationId = organizations[(number + turn) % organizations.length] as number;
      const server = servers[(number * 7 + turn) % servers.length] as Server;
      const room = await server.call(organizationId);
      if (room === undefined) found.refused++;
      else rooms.push(room);
    }
  };
  /** However long a server takes to start, so many are killed in a second: each when the one that takes its place is there. */
  const killer = async () => {
    const replacing: Promise<void>[] = [];
    const replace = async (at: number) => {
      const next = await Server.start(many);
      servers[at]?.kill();
      servers[at] = next;
      found.kills++;
    };
    for (let turn = 0; !isOver(); turn++) {
      if (many.instead === undefined) {
        replacing.push(replace(turn % servers.length));
      } else {
        await many.instead();
        found.kills++;
      }
      await delay(1_000 / many.killsASecond);
    }
    await Promise.all(replacing);
  };
  const watcher = async () => {
    while (!isOver()) {
      await delay(100);
      // Nobody answers while the database starts again.
      const [row] = await sql<{ waits: string | null }>(
        many.url,
        'select extract(epoch from clock_timestamp()) * 1000 - min(due_at) as waits from organizations where due_at > 0',
      ).catch(() => []);
      found.longestDue = Math.max(found.longestDue, Number(row?.waits ?? 0));
    }
  };
  try {
    await Promise.all([killer(), watcher(), ...Array.from({ length: many.clients }, (_none, at) => client(at))]);
    // Nobody asks for anything any more: what is due is played all the same.
    await until(async () => (await unfinished(many.url)) === 0);
  } finally {
    for (const server of servers) server.kill();
  }
  found.acknowledged = rooms.length;
  found.wrong = await faults(engine, many, organizations, rooms);
  const [row] = await sql<{ calls: string }>(many.url, 'select count(*) as calls from calls');
  found.calls = Number(row?.calls);
  return found;
}

async function prepared(engine: LocalEngine, { contacts }: ManyServers): Promise<number[]> {
  const { initialState } = await import('../../src/engine/state.ts');
  const ids = [1];
  for (const _more of AGENTS.slice(1)) {
    ids.push(
      await engine.store.add((organizationId, demoAgentId) =>
        initialState({ seed: 1, now: Date.now(), empty: false, organizationId, demoAgentId }),
      ),
    );
  }
  for (const organizationId of ids) {
    const timeline = await engine.timelineOf(organizationId);
    await timeline?.change(({ state }) => {
      state.organization.balance = BALANCE;
    });
    await engine.backend(localCredentials(organizationId)).createCampaign({
      ...{ campaign_name: 'Many', agent_id: organizationId, call_from: '+14155550100' },
      ...{ calls_per_hour: PACE, retry_attempts: 2, retry_delay: 1 },
      contacts: Array.from({ length: contacts }, (_none, at) => ({
        phone_number: `+1415${String(5_560_000 + at).padStart(7, '0')}`,
      })),
    });
  }
  return ids;
}

async function unfinished(url: string): Promise<number> {
  const [row] = await sql<{ left: string }>(url, `select count(*) as left from campaigns where status <> 'completed'`);
  return Number(row?.left);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(200);
}

async function faults(
  engine: LocalEngine,
  { url }: ManyServers,
  organizations: readonly number[],
  rooms: readonly string[],
): Promise<string[]> {
  const wrong: string[] = [];
  if (new Set(rooms).size !== rooms.length) wrong.push('a call was acknowledged twice');
  const known = await sql<{ room: string }>(
    url,
    `select 'call-call_' || case organization_id when 1 then '' else organization_id || '_' end
            || lpad(call_number::text, 10, '0') as room from calls where campaign_id is null`,
  );
  const placed = new Set(known.map(({ room }) => room));
  const lost = rooms.filter((room) => !placed.has(room));
  if (lost.length > 0) wrong.push(`${lost.length} acknowledged calls are not in the log, such as ${lost[0]}`);
  const odd = await sql<{ id: string }>(
    url,
    `select p.campaign_id as id from campaigns p
       where p.attempts <> (select count(*) from calls c where c.campaign_id = p.campaign_id)
          or exists (select 1 from calls c where c.campaign_id = p.campaign_id
                       group by c.contact having count(*) <> max(c.attempt) or bool_or(c.call_status = 'completed' and c.attempt < (
                         select max(d.attempt) from calls d where d.campaign_id = c.campaign_id and d.contact = c.contact)))`,
  );
  for (const { id } of odd) wrong.push(`campaign ${id} was played otherwise than it says`);
  for (const organizationId of organizations) {
    const options = { signal: new AbortController().signal, onCall: () => {} };
    const report = await engine.store.check(options, organizationId);
    for (const { file, message } of report.problems) wrong.push(`${file} ${message}`);
  }
  return wrong;
}

/** One process of `vagent serve`. */
class Server {
  readonly #child: ChildProcess;
  readonly #address: string;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.#address = address;
  }

  static async start({ url, through: store = url, home, instead }: ManyServers): Promise<Server> {
    const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', '--quiet', '--store', store], {
      env: { ...freshEnvironment(home), VAGENT_LOCAL: '1' },
      // While the database is away, each of them says so.
      stdio: ['ignore', 'pipe', instead === undefined ? 'inherit' : 'ignore'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.on('exit', (code) => reject(new Error(`a server ended with ${code}: ${text}`)));
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk;
        if (text.includes('}')) resolve((JSON.parse(text) as { url: string }).url);
      });
    });
    return new Server(child, address);
  }

  /** The room of the call; undefined if nobody knows what came of it. */
  async call(organizationId: number): Promise<string | undefined> {
    const request: RequestOf<'triggerCall'> = {
      ...{ use_agent_id: organizationId, called_to: '+14155550123', call_from: '+14155550100' },
      ...{ custom_first_line: 'Hello.', custom_identifiers: '' },
    };
    try {
      const answer = await fetch(`${this.#address}/trigger-call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...localCredentials(organizationId), ...request }),
      });
      if (!answer.ok) return undefined;
      return ((await answer.json()) as { room_name: string }).room_name;
    } catch {
      // Its server was killed.
      await delay(20);
      return undefined;
    }
  }

  kill(): void {
    this.#child.removeAllListeners('exit');
    this.#child.kill('SIGKILL');
  }
}
