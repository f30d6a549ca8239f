/** Where a world is played: a machine with its clock and its files, a service, the plans, and a memory of what happened. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, type Machine, runTogether } from './command.ts';
import { exclusions, flagsOf, type PreparedPlan, preparePlan, takenRows, type ZonesOfPlace } from './command-line.ts';
import type { History, Look, PlanOfHistory, Told } from './history.ts';
import { localService } from './local-service.ts';
import { type ServiceOfWorld, startService } from './service.ts';
import { type Fault, MINUTE, type Pause, type Rules, type World } from './world.ts';

/** What `plan run --json` and `plan status --json` say. */
interface Answer {
  state: string;
  reason: unknown;
  next: { at: string | null; why: string } | null;
  states: Record<string, number>;
  /** These only `plan status` says. */
  attempts?: number;
  spent?: number | null;
}

interface Known extends PlanOfHistory {
  id: number;
  /** The last that it said of itself. */
  answer: Answer | undefined;
  /** When it wants to be run again; NaN if it did not say. */
  next: number;
}

export interface Played {
  history: History;
  /** Every command line with its exit code and what it printed, for a person who looks for a mistake. */
  transcript: string[];
  /** How often the answers of `plan run` gave this reason for waiting. */
  waits: Map<string, number>;
  /** The state of each plan, with its reason, whenever it changed. */
  states: { plan: number; state: string; reason: unknown }[];
  /** Processes that were killed. */
  kills: number;
  /** Real milliseconds, and commands. */
  took: number;
  commands: number;
}

/** Where nothing waits for a disk, if there is such a place. */
const IN_MEMORY = '/dev/shm';
/** A file of numbers must hold one. */
const OF_NOBODY = '+390612345678';

export class Stage {
  readonly world: World;
  readonly clock: { now: number };
  readonly plans: Known[] = [];
  readonly misbehaved: string[] = [];
  readonly #zonesOf: ZonesOfPlace;
  readonly home = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'vagent-world-'));
  readonly #machine: Machine;
  readonly #told: Told[] = [];
  readonly #excluded: History['excluded'] = [];
  readonly #looks: Look[] = [];
  readonly #transcript: string[] = [];
  readonly #waits = new Map<string, number>();
  readonly #states: Played['states'] = [];
  service!: ServiceOfWorld;
  #seq = 0;
  /** Milliseconds by which the machine's clock is behind itself, because it was suspended. */
  #stoodStill = 0;
  #commands = 0;
  #kills = 0;

  /** It begins at a time in milliseconds since the epoch. */
  constructor(world: World, zonesOf: ZonesOfPlace, begin: number) {
    this.world = world;
    this.#zonesOf = zonesOf;
    this.clock = { now: begin };
    const env = {
      ...{ HOME: this.home, PATH: '', TZ: 'UTC', CI: '1', VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key' },
      ...{ VAGENT_STATE_DIR: join(this.home, 'state'), VAGENT_CONFIG_DIR: join(this.home, 'config') },
    };
    const now = () => (world.isLocal ? world.start : this.clock.now + world.ahead * 1000 - this.#stoodStill);
    this.#machine = { home: this.home, env, now };
  }

  /** Begins the world. */
  async open(): Promise<void> {
    const nextSeq = () => ++this.#seq;
    const waveOf = (name: string) => this.#waveOf(name);
    const running = { clock: this.clock, nextSeq, waveOf };
    this.service = this.world.isLocal
      ? await localService(this.world, { ...running, folder: this.home })
      : await startService(this.world, running);
    const { url } = this.service;
    const local = { VAGENT_LOCAL: '1', VAGENT_STORE: join(this.home, 'store') };
    Object.assign(this.#machine.env, url === undefined ? local : { VAGENT_BASE_URL: url });
    this.#writeExcluded();
    mkdirSync(join(this.home, 'state'), { mode: 0o700 });
  }

  async makePlans(): Promise<void> {
    for (const at of this.world.plans.keys()) await this.#create(at);
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.home, { recursive: true });
  }

  async played(took: number): Promise<Played> {
    const said = { transcript: this.#transcript, waits: this.#waits, states: this.#states };
    return { history: await this.#history(), ...said, commands: this.#commands, kills: this.#kills, took };
  }

  async #history(): Promise<History> {
    const dials = await this.service.dials();
    const { posts } = this.service;
    const plans = this.plans.map(({ id: _id, answer: _answer, next: _next, ...plan }) => plan);
    const inTime = dials.toSorted((left, right) => left.at - right.at);
    const seen = { told: this.#told, excluded: this.#excluded, looks: this.#looks, misbehaved: this.misbehaved };
    const { isLocal, ahead, pace } = this.world;
    const service = { isLocal, pace: isLocal ? 1 : pace, ahead: isLocal ? 0 : ahead * 1000 };
    return { ...service, plans, posts: [...posts], dials: inTime, ...seen };
  }

  #waveOf(name: string): { plan: number; number: number } | undefined {
    const [, id, wave] = / \(plan (\d+), wave (\d+)\)$/.exec(name) ?? [];
    if (id === undefined) return undefined;
    const plan = this.plans.findIndex((known) => known.id === Number(id));
    if (plan === -1) this.misbehaved.push(`A wave of a plan that nobody created: ${name}.`);
    return { plan, number: Number(wave) };
  }

  async #create(at: number): Promise<void> {
    const prepared: PreparedPlan = preparePlan(this.world, at, this.home, this.clock.now, this.#zonesOf);
    const { args, rejects: _rejects, ...plan } = prepared;
    const [ended] = await this.command([args]);
    if (ended === undefined || ended.code !== 0) {
      // Nobody in the file has an hour in which the plan may call, or there are too few for a canary.
      if (ended?.code === 3 || (ended?.code === 2 && ended.stderr.includes('--canary'))) return;
      this.misbehaved.push(`plan create exited with ${ended?.code}: ${ended?.stderr}`);
      return;
    }
    const { plan_id: id, contacts } = JSON.parse(ended.stdout);
    const rows = takenRows(prepared);
    if (rows.length !== contacts) this.misbehaved.push(`plan create took ${contacts} rows, not ${rows.length}.`);
    this.plans.push({ ...plan, rows, id, contacts, createdAt: this.clock.now, answer: undefined, next: Number.NaN });
  }

  #planCommand(verb: string, plan: number, ...flags: string[]): string[] {
    return ['plan', verb, String(this.plans[plan]?.id), ...flags, '--json'];
  }

  /** Two commands side by side. */
  together(plan: number, verbs: readonly string[]): Promise<void> {
    return this.#runs(
      plan,
      verbs.map((verb) => this.#planCommand(verb, plan)),
    );
  }

  /** From now on it is in the file of those who must not be called. */
  exclude(phone: string): void {
    this.#excluded.push({ seq: ++this.#seq, phone });
    this.#writeExcluded();
  }

  #writeExcluded(): void {
    const numbers = [OF_NOBODY, ...this.#excluded.map(({ phone }) => phone)];
    writeFileSync(exclusions(this.home), ['phone_number', ...numbers, ''].join('\n'));
  }

  /** `plan run`, and what it says is remembered. */
  async run(plan: number, fault?: Fault, ...flags: string[]): Promise<void> {
    const isHanging = fault?.on === 'post' && String(fault.kind).startsWith('hangs');
    const all = [...flags, ...(isHanging ? ['--timeout', '1s'] : [])];
    await this.#runs(plan, [this.#planCommand('run', plan, ...all)], fault);
    if (fault !== undefined) await this.look(plan);
  }

  async #runs(plan: number, commands: string[][], fault?: Fault): Promise<void> {
    const ended = await this.command(commands, fault, async (one) => {
      await this.service.look();
      if (one.args[1] === 'stop' && one.code === 0) this.#tell('stopped', plan);
    });
    for (const { args, code, stdout, stderr, isDead } of ended) {
      if (isDead || args[1] !== 'run') continue;
      const isDone = code === 0 || code === HALTED;
      if (isDone) this.#tell('ran', plan);
      const answer = readAnswer(stdout);
      if (isDone && answer === undefined) this.misbehaved.push(`plan run printed no JSON: ${stdout.slice(0, 200)}`);
      const isHalted = answer?.state === 'stopped' || answer?.state === 'waiting';
      if (isDone && isHalted !== (code === HALTED && stderr.includes(String(answer?.reason))))
        this.misbehaved.push(`plan run of a plan that is ${answer?.state} exited with ${code}, and said: ${stderr}`);
      if (answer !== undefined) this.#remember(plan, answer, true);
    }
  }

  /** The commands of an operator. */
  async control(what: 'stop' | 'resume' | 'recall' | 'cancel', plan: number): Promise<void> {
    const verb = what === 'recall' ? 'resume' : what;
    const flags = what === 'recall' ? ['--recall-unseen'] : what === 'cancel' ? ['--yes'] : [];
    // From the moment at which it is asked for: a wave may go out before the command has ended.
    if (what === 'resume') this.#tell('resuming', plan);
    if (what === 'recall') this.#tell('recalling', plan);
    const [ended] = await this.command([this.#planCommand(verb, plan, ...flags)]);
    const isDone = ended?.code === 0;
    if (isDone && what === 'stop') this.#tell('stopped', plan);
    if (isDone && what === 'cancel') this.#tell('cancelled', plan);
    await this.look(plan);
  }

  /** Rules become others, or it is refused. What a plan has no price for has no budget. */
  async edit(plan: number, { endsIn, budget, optOut, ...changes }: Partial<Rules>): Promise<void> {
    const known = this.plans[plan] as Known;
    const { rules, end } = known.edits.at(-1) ?? known;
    const next = {
      ...changes,
      ...(rules.budget && budget && { budget: { ...rules.budget, cents: budget.cents } }),
      ...(optOut !== undefined && { optOut: [...new Set([...rules.optOut, ...optOut])] }),
    };
    const until = endsIn === undefined ? end : this.clock.now + endsIn * MINUTE;
    const flags = [...flagsOf(next), ...(until === end ? [] : ['--end', new Date(until as number).toISOString()])];
    for (const [flag, rule] of [
      ['--max-per-number', 'perNumber'],
      ['--from-cap', 'fromCap'],
    ] as const)
      if (rule in next && next[rule] === undefined) flags.push(flag, 'none');
    const [ended] = await this.command([this.#planCommand('edit', plan, ...flags, '--yes')]);
    if (ended?.code === 0) known.edits.push({ seq: ++this.#seq, rules: { ...rules, ...next }, end: until });
    await this.look(plan);
  }

  /** `plan status --json`. */
  async look(plan: number): Promise<void> {
    const [ended] = await this.command([this.#planCommand('status', plan)]);
    const answer = readAnswer(ended?.stdout ?? '');
    if (answer === undefined) this.misbehaved.push(`plan status exited with ${ended?.code}: ${ended?.stderr}`);
    else this.#remember(plan, answer, false);
  }

  #remember(plan: number, answer: Answer, isAfterRun: boolean): void {
    const known = this.plans[plan] as Known;
    const { state, reason, states: contacts, attempts, spent } = answer;
    if (known.answer?.state !== state || String(known.answer.reason) !== String(reason)) {
      this.#states.push({ plan, state, reason });
    }
    known.answer = answer;
    const next = Date.parse(answer.next?.at ?? '');
    // By the clock of the service, which is not that of this machine.
    if (isAfterRun) known.next = next;
    this.#looks.push({
      ...{ seq: ++this.#seq, at: this.clock.now, plan, state, reason, contacts, attempts, spent, isAfterRun },
      next: Number.isNaN(next) ? undefined : next,
    });
    const why = answer.next?.why;
    if (why !== undefined) this.#waits.set(why, (this.#waits.get(why) ?? 0) + 1);
  }

  #tell(what: Told['what'], plan: number): void {
    this.#told.push({ seq: ++this.#seq, at: this.clock.now, plan, what });
  }

  /** The last thing that a plan said of itself. */
  answerOf(plan: number): Answer | undefined {
    return this.plans[plan]?.answer;
  }

  /** Moves the clock. */
  async wait(pause: Pause): Promise<void> {
    const { now } = this.clock;
    const times = this.plans.map(({ next }) => next).filter((at) => at > now);
    const next = Math.min(...times);
    if (pause === 'next') await this.advanceTo(Number.isFinite(next) ? next : now + 10 * MINUTE);
    else await this.advanceTo(now + pause * MINUTE);
  }

  advanceTo(at: number): Promise<void> {
    return this.service.advanceTo(at);
  }

  #sleep(milliseconds: number, isClockStill: boolean): void {
    if (this.world.isLocal) return;
    this.clock.now += milliseconds;
    if (isClockStill) this.#stoodStill += milliseconds;
  }

  /** Runs commands side by side, in the order of their ends. */
  async command(commands: string[][], fault?: Fault, onEnd?: (one: Ended) => Promise<void>): Promise<Ended[]> {
    const started = this.#seq;
    const ended = await runTogether(this.#machine, commands, {
      fault,
      onBirth: (life) => {
        life.onSleep = (minutes, isClockStill) => this.#sleep(minutes * MINUTE, isClockStill);
        this.service.meet(fault, life);
      },
      onEnd,
    });
    this.#stoodStill = 0;
    await this.service.look();
    this.#commands += commands.length;
    if (ended[0]?.isDead) this.#kills += 1;
    for (const one of ended) {
      const met = fault === undefined ? '' : ` [${JSON.stringify(fault)}${one.isDead ? ', killed' : ''}]`;
      const sent = this.service.posts.filter(({ seq }) => seq > started);
      const posts = sent.map(
        ({ wave, contacts, answer, startTime }) =>
          `    → ${wave === undefined ? 'beside' : `wave ${wave.number}`} at ${startTime}: ` +
          `${contacts.map(({ key, phone }) => key || phone).join(' ')}: ${answer}`,
      );
      const said = `${one.stdout.trim()} ${one.stderr.trim()}`.slice(0, 1500);
      const when = new Date(this.clock.now).toISOString();
      this.#transcript.push(`${when} vagent ${one.args.join(' ')}${met} → ${one.code}`, `    ${said}`, ...posts);
      const codes = expectedCodes(one, commands.length, fault);
      if (!one.isDead && !codes.includes(one.code)) {
        this.misbehaved.push(`vagent ${one.args.join(' ')}${met} exited with ${one.code}: ${one.stderr.slice(0, 400)}`);
      }
    }
    return ended;
  }
}

function readAnswer(stdout: string): Answer | undefined {
  try {
    const answer = JSON.parse(stdout);
    return typeof answer?.state === 'string' ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** Of a run of a plan that is stopped or waits for a look. */
const HALTED = 11;
/** A stopped, waiting or finished plan refuses what it cannot do. */
const REFUSED = [2, 3];

/** Which exit codes a command may end with, by what it met. Anything else is a fault of the command. */
function expectedCodes({ args, isStruck }: Ended, together: number, fault: Fault | undefined): number[] {
  const [noun, verb] = args;
  if (noun !== 'plan') return [0, 2, 3, 8];
  // Nobody can be called, or there are too few for a canary.
  if (verb === 'create') return args.includes('--canary') ? [0, 2, 3] : [0, 3];
  if (verb === 'status') return [0];
  if (verb !== 'run') return [0, ...REFUSED];
  const codes = [0, HALTED, ...(together > 1 ? [9] : [])];
  switch (fault?.on) {
    case 'post':
      return [...codes, fault.kind === 402 ? 6 : fault.kind === 429 ? 7 : 8];
    case 'get':
    case 'sleep':
      return [...codes, 7];
    case 'suspension':
      return [...codes, 3, 7];
    case 'disk':
      return isStruck ? [...codes, 3, 7, 8, 9] : codes;
    default:
      return codes;
  }
}
