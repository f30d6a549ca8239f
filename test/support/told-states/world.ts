/**
 * A random world of campaigns and plans, played through the commands on the local engine or against it over HTTP. Each of them
 * calls from a number of its own, so that the raw log alone tells whose a call is.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallLogEntry } from '../../../src/contract.ts';
import { withAnswerRate } from '../../../src/engine/scenario.ts';
import { HOUR, MINUTE, type PlannedService, plannedService } from '../planned-service.ts';
import { Operator } from '../program.ts';
import { Chance } from '../worlds/chance.ts';

export const RETRIED = ['busy', 'no_answer', 'failed', 'voicemail'] as const;

/** A campaign or a plan, as it was created. */
export interface Sent {
  noun: 'campaign' | 'plan';
  id: number;
  name: string;
  from: string;
  /** The numbers in the order of the file, those that are not to be called left out for a campaign. */
  numbers: string[];
  callsPerHour: number;
  attempts: number;
  createdAt: number;
  /** Milliseconds between two attempts: of a campaign for all results, of a plan for those that are tried again. */
  retryDelay: Partial<Record<(typeof RETRIED)[number], number>>;
  /** Of a plan: when each came onto its list of those who are not to be called. */
  excludedLater: Map<string, number>;
  list: string | undefined;
  end: number;
  /** How many a rehearsal said will be reached, where nothing else can happen. */
  rehearsed?: number;
}

/** What the service has: every call that was made, and what it shows of it, and everything that was submitted. */
export interface Facts {
  now: number;
  log: CallLogEntry[];
  /** The numbers of each campaign of the service. */
  submitted: { from: string; numbers: string[]; end: number }[];
}

export interface Played {
  isRemote: boolean;
  sent: readonly Sent[];
  facts: Facts;
  json<T>(...args: string[]): Promise<T>;
  text(args: readonly string[], options?: { isTerminal?: boolean; input?: string }): Promise<string>;
  /** The first line that a watch prints. */
  watched(args: readonly string[]): Promise<string>;
}

/** Texts by which a service says that a machine took the call. */
export const MACHINES = ['voicemail_left', 'Answering machine', 'VOICEMAIL', 'left on mailbox'];
/** Of the engine: always completed, busy, not answered, failed, and busy once. */
const FIXED = ['5550190', '5550191', '5550192', '5550193', '5550194'];
/** Milliseconds for which a service shows a call as going on. */
const TALK = 10 * MINUTE;

export class ToldWorld {
  readonly #chance: Chance;
  readonly #service: PlannedService;
  readonly #operator: Operator;
  readonly #isRemote: boolean;
  /** What of the log a real service shows otherwise. */
  readonly #odd: { hides: number; machine: string; goesOn: boolean };
  readonly #people: string[];
  readonly #sent: Sent[] = [];
  #files = 0;

  static async of(seed: number, isRemote: boolean): Promise<ToldWorld> {
    return new ToldWorld(await plannedService({ seed }), new Chance(seed), isRemote);
  }

  private constructor(service: PlannedService, chance: Chance, isRemote: boolean) {
    this.#service = service;
    this.#chance = chance;
    this.#isRemote = isRemote;
    const env = { VAGENT_LOCAL: '1', VAGENT_STORE: service.engine.folder };
    this.#operator = isRemote ? service.operator : new Operator({ env });
    const odd = { hides: chance.pick([0, 0, 3, 8]), machine: chance.pick(MACHINES), goesOn: chance.happens(0.3) };
    this.#odd = isRemote ? odd : { hides: 0, machine: 'voicemail_left', goesOn: false };
    this.#people = Array.from({ length: chance.integer(3, 14) }, (_none, at) =>
      chance.happens(0.3) ? `+1${212 + at}${chance.pick(FIXED)}` : `+1415555${1000 + at * 37}`,
    );
    service.faults.getCallLogs = async (request) => this.#page(request);
  }

  // The service -------------------------------------------------------------------------------------------------------

  async #log(): Promise<CallLogEntry[]> {
    // What fell due until now happens first.
    await this.#service.engine.timeline.change(() => {});
    const { hides, machine, goesOn } = this.#odd;
    const isHidden = ({ call_id }: CallLogEntry) => hides > 0 && Number(String(call_id).slice(-4)) % hides === 0;
    return (await this.#service.calls())
      .filter((call) => !isHidden(call))
      .map((call) => {
        const isGoingOn = goesOn && Date.parse(String(call.timestamp)) > this.#now - TALK;
        if (isGoingOn) return { ...call, call_status: 'in_progress', call_outcome: '', call_duration: 0 };
        return call.call_outcome === 'voicemail_left' ? { ...call, call_outcome: machine } : call;
      });
  }

  async #page({ agent_id, start_date, end_date, limit, offset }: Record<string, unknown>): Promise<object> {
    const found = (await this.#log()).toReversed().filter((call) => {
      const day = String(call.timestamp).slice(0, 10);
      const isIn = (start_date === undefined || day >= String(start_date)) && (!end_date || day <= String(end_date));
      return isIn && (agent_id === undefined || agent_id === call.agent_id);
    });
    const calls = found.slice(Number(offset ?? 0), Number(offset ?? 0) + Number(limit ?? 100));
    return { success: true, calls, total: found.length, limit: calls.length, offset: Number(offset ?? 0) };
  }

  async #facts(): Promise<Facts> {
    const log = await this.#log();
    const { state, contactsOf } = await this.#service.engine.timeline.stored();
    const submitted: Facts['submitted'] = [];
    for (const { campaign_id, call_from, start_time, calls_per_hour } of state.campaigns) {
      const numbers = Array.from(await contactsOf(campaign_id), ({ phone_number }) => phone_number);
      submitted.push({ from: call_from, numbers, end: start_time + (numbers.length * HOUR) / calls_per_hour });
    }
    return { now: this.#now, log, submitted };
  }

  get #now(): number {
    return this.#service.engine.clock.now;
  }

  // The operator ------------------------------------------------------------------------------------------------------

  async #run(args: readonly string[], options: Parameters<Operator['run']>[1] = {}) {
    const frozenAt = new Date(this.#now).toISOString();
    return await this.#operator.run(args, { frozenAt, cwd: this.#operator.home, columns: 400, ...options });
  }

  async #text(args: readonly string[], options: { isTerminal?: boolean; input?: string } = {}): Promise<string> {
    const { code, stdout, stderr } = await this.#run(args, options);
    // A plan that has stopped, or waits for a look.
    if (code !== 0 && code !== 11) throw new Error(`vagent ${args.join(' ')} exited with ${code}: ${stderr}`);
    return stdout;
  }

  async #json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.#text([...args, '--json'])) as T;
  }

  async #watched(args: readonly string[]): Promise<string> {
    const look = new AbortController();
    const { stdout } = await this.#run([...args, '-o', 'ndjson'], {
      signal: look.signal,
      hears: (_text, stream) => stream === 'stdout' && look.abort(),
    });
    return stdout.split('\n')[0] ?? '';
  }

  #file(numbers: readonly string[]): string {
    const path = join(this.#operator.home, `list-${++this.#files}.csv`);
    writeFileSync(path, ['phone_number,name', ...numbers.map((number, at) => `${number},Guest ${at}`), ''].join('\n'));
    return path;
  }

  // What happens ------------------------------------------------------------------------------------------------------

  /** Plays the world; `look` is called at some moments at which nothing moves. */
  async play(look: (played: Played) => Promise<void>): Promise<void> {
    const chance = this.#chance;
    await this.#service.engine.timeline.change((transaction) => {
      const { state } = transaction;
      state.organization.balance = 1_000_000_000_000;
      state.organization.numbers.push(...Array.from({ length: 12 }, (_none, at) => fromNumber(at)));
      state.scenario = withAnswerRate(state.scenario, chance.pick([0.2, 0.5, 0.62, 0.9]));
    });
    for (let left = chance.integer(1, 2); left > 0; left--) await this.#createCampaign();
    if (chance.happens(0.5)) await this.#pass(chance.integer(1, 90) * MINUTE);
    for (let left = chance.integer(1, 2); left > 0; left--) await this.#createPlan();
    const looks = 2;
    for (let nth = 0; nth < looks; nth++) {
      for (let left = chance.integer(1, 6); left > 0; left--) await this.#goOn();
      await this.#look(look);
    }
    await this.#pass(chance.pick([8, 12]) * 24 * HOUR);
    await this.#look(look);
    if (chance.happens(0.5)) {
      await this.#redial();
      await this.#pass(chance.integer(1, 600) * MINUTE);
      await this.#look(look);
    }
  }

  async #look(look: (played: Played) => Promise<void>): Promise<void> {
    const facts = await this.#facts();
    await look({
      isRemote: this.#isRemote,
      sent: this.#sent,
      facts,
      json: (...args) => this.#json(...args),
      text: (args, options) => this.#text(args, options),
      watched: (args) => this.#watched(args),
    });
  }

  async #goOn(): Promise<void> {
    const chance = this.#chance;
    const person = chance.pick(this.#people);
    // A call of another number, and one of somebody else, which no register knows.
    if (chance.happens(0.3))
      await this.#text([
        'call',
        person,
        '--agent',
        '1',
        '--from',
        fromNumber(11),
        '--first-line',
        'Hello.',
        '--force',
        '--yes',
      ]);
    if (chance.happens(0.3)) {
      const service = this.#service.engine.backend({ organization_id: 1, api_key: 'local-demo-key' });
      await service.triggerCall({
        use_agent_id: 1,
        called_to: person,
        call_from: fromNumber(10),
        custom_first_line: 'Hi.',
        custom_identifiers: '',
      });
    }
    const plan = this.#sent.find(({ noun, list }) => noun === 'plan' && list !== undefined);
    if (plan?.list !== undefined && chance.happens(0.4)) {
      const number = chance.pick(plan.numbers);
      appendFileSync(plan.list, `${number},Guest\n`);
      if (!plan.excludedLater.has(number)) plan.excludedLater.set(number, this.#now);
      await this.#runPlans();
    }
    await this.#pass(chance.pick([7 * MINUTE, 40 * MINUTE, 3 * HOUR, 9 * HOUR]) + chance.integer(0, 300) * 1000);
  }

  /** The time passes, in some steps, and plans are run. */
  async #pass(time: number): Promise<void> {
    const until = this.#now + time;
    const steps = Math.min(3, Math.ceil(time / (20 * MINUTE)));
    for (let step = 1; step <= steps; step++) {
      this.#service.engine.clock.now += (until - this.#now) / (steps + 1 - step);
      this.#service.engine.clock.now = Math.floor(this.#now);
      await this.#runPlans();
    }
    // What the first run sent may have called at once.
    await this.#runPlans();
    await this.#runPlans();
  }

  async #runPlans(): Promise<void> {
    for (const { noun, id } of this.#sent) if (noun === 'plan') await this.#text(['plan', 'run', String(id), '--json']);
  }

  #drawn() {
    const chance = this.#chance;
    const people = chance.shuffled(this.#people).slice(0, chance.integer(1, this.#people.length));
    const excluded = new Set(chance.happens(0.4) ? people.filter(() => chance.happens(0.3)) : []);
    // Everybody would be too many.
    if (excluded.size === people.length) excluded.clear();
    return { people, excluded, from: fromNumber(this.#sent.length), name: `List ${this.#sent.length + 1}` };
  }

  async #createCampaign(): Promise<void> {
    const chance = this.#chance;
    const { people, excluded, from, name } = this.#drawn();
    const retries = chance.integer(0, 3);
    // Of two rows with one number, the log does not tell which one was called again.
    const isTwice = retries === 0 && chance.happens(0.3);
    const numbers = isTwice ? [...people, ...people.slice(0, 2)] : people;
    const delay = chance.pick([20, 60, 240]);
    const callsPerHour = chance.pick([10, 60, 600]);
    await this.#create(
      'campaign',
      { name, from, numbers, excluded, callsPerHour, attempts: 1 + retries },
      [...['--retry-attempts', String(retries), '--retry-delay', `${delay}m`]],
      Object.fromEntries(RETRIED.map((result) => [result, delay * MINUTE])),
      Number.POSITIVE_INFINITY,
    );
  }

  async #createPlan(): Promise<void> {
    const chance = this.#chance;
    const { people, excluded, from, name } = this.#drawn();
    const attempts = chance.integer(1, 4);
    const isTwice = attempts === 1 && chance.happens(0.3);
    const numbers = isTwice ? [...people, ...people.slice(0, 2)] : people;
    const retried = RETRIED.filter(() => chance.happens(0.7));
    const retry = Object.fromEntries(retried.map((result) => [result, chance.pick([20, 120, 600]) * MINUTE]));
    const named = RETRIED.map(
      (result) => `${result}=${retry[result] === undefined ? 'never' : `${retry[result] / MINUTE}m`}`,
    );
    const ends = chance.happens(0.5) ? this.#now + chance.integer(2, 60) * HOUR : Number.POSITIVE_INFINITY;
    const callsPerHour = chance.pick([10, 60, 600]);
    const flags = [
      '--window',
      '00:00-24:00',
      '--zone',
      'UTC',
      '--max-attempts',
      String(attempts),
      '--retry',
      named.join(),
    ];
    if (Number.isFinite(ends)) flags.push('--end', new Date(ends).toISOString());
    flags.push('--stop-on', 'failed=100%/50');
    await this.#create('plan', { name, from, numbers, excluded, callsPerHour, attempts }, flags, retry, ends);
  }

  async #redial(): Promise<void> {
    const { id } = this.#sent[0] as Sent;
    const list = await this.#text(['campaign', 'redial', String(id)]);
    const numbers = [...list.matchAll(/\+\d{11}/g)].map(([number]) => number);
    if (numbers.length === 0) return;
    const about = {
      name: 'Again',
      from: fromNumber(this.#sent.length),
      numbers,
      excluded: new Set<string>(),
      callsPerHour: 60,
      attempts: 1,
    };
    await this.#create('campaign', about, ['--retry-attempts', '0'], {}, Number.POSITIVE_INFINITY);
  }

  async #create(
    noun: Sent['noun'],
    about: Pick<Sent, 'name' | 'from' | 'numbers' | 'callsPerHour' | 'attempts'> & { excluded: ReadonlySet<string> },
    flags: string[],
    retryDelay: Sent['retryDelay'],
    end: number,
  ): Promise<void> {
    const { name, from, numbers, excluded, callsPerHour, attempts } = about;
    const list = excluded.size === 0 ? undefined : this.#file([...excluded]);
    const lists = list === undefined ? [] : ['--exclude', list];
    const flagsOfAll = [
      ...['--name', name, '--agent', '1', '--from', from, '--contacts', this.#file(numbers)],
      ...['--first-line', 'Hello {{name}}.', '--calls-per-hour', String(callsPerHour), '--duplicates', 'keep'],
      ...['--again', '--force', '--yes', ...lists, ...flags],
    ];
    const rehearsed =
      noun === 'plan' || this.#isRemote
        ? {}
        : { rehearsed: (await this.#json<{ reached: number }>('campaign', 'rehearse', ...flagsOfAll)).reached };
    const made = await this.#json<Record<string, number>>(noun, 'create', ...flagsOfAll);
    const left = numbers.filter((number) => !excluded.has(number));
    this.#sent.push({
      ...{ noun, id: made[`${noun}_id`] as number, name, from, callsPerHour, attempts, createdAt: this.#now },
      ...{ numbers: left, excludedLater: new Map(), list, retryDelay, end, ...rehearsed },
    });
  }
}

function fromNumber(at: number): string {
  return `+1646555${2000 + at}`;
}
