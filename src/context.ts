/** The composition root: what a command may use, made when it is first asked for. Only here is a Backend chosen. */
import { type Aftermath, commandThatShows, lookFirst, tellingNextStep } from './aftermath.ts';
import type { Credentials, RequestOf, Service } from './contract.ts';
import { connectionFlags } from './given.ts';
import type { Io } from './io.ts';
import type { LocalEngine } from './local/open.ts';
import { type Config, readConfig } from './profiles.ts';
import type { Recording, Sending, Sent } from './register/recorded.ts';
import type { Register } from './register/register.ts';
import type { FinishedRequest } from './remote/client.ts';
import type { HttpProxy } from './remote/proxy.ts';
import {
  configFolder,
  type Environment,
  type FoundKey,
  type GlobalFlags,
  isJson,
  ownProfile,
  profileInEffect,
  requireOrganization,
  resolveKey,
  resolveOrganization,
  resolveSettings,
  type Settings,
  stateFolder,
} from './settings.ts';

export interface ContextParts {
  io: Io;
  env: Environment;
  /** The system's time in milliseconds since the epoch. */
  systemNow: () => number;
  /** From 0 to below 1. */
  random: () => number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** The command line, for messages to other processes. */
  commandLine: string;
}

const REMOTE_CONCURRENCY = 4;
/** Characters that others are shown. */
const LONGEST_COMMAND_LINE = 200;
/** Milliseconds. */
const DEFAULT_TIMEOUT = 30_000;

export class Context {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly systemNow: () => number;
  readonly #commandLine: string;
  readonly #env: Environment;
  readonly #random: () => number;
  readonly #end = new AbortController();
  /** What the process exits with when nothing was thrown. */
  exitCode = 0;
  #flags: GlobalFlags | undefined;
  #config: Config | undefined;
  #settings: Settings | undefined;
  #key: Promise<FoundKey> | undefined;
  #service: Promise<Service> | undefined;
  #local: Promise<LocalEngine> | undefined;
  #isProfileTold = false;

  constructor({ io, env, systemNow, random, signal, commandLine }: ContextParts) {
    this.io = io;
    this.signal = signal;
    this.systemNow = systemNow;
    this.#env = env;
    this.#random = random;
    this.#commandLine = commandLine;
  }

  /** Ends what nobody waits for any more: a page that was asked for ahead would keep the process from ending. */
  close(): void {
    this.#end.abort();
  }

  /** For messages to other processes, which find it in a lock file. */
  get commandLine(): string {
    return this.io.redactor.redact(this.#commandLine).slice(0, LONGEST_COMMAND_LINE);
  }

  get flags(): GlobalFlags {
    return this.#flags ?? {};
  }

  /** Whether the command line could be parsed: only then are the flags known. */
  get isParsed(): boolean {
    return this.#flags !== undefined;
  }

  /** The flags of every command, once they are known, and what they mean for the streams. */
  useFlags(flags: GlobalFlags): void {
    this.#flags = flags;
    const { io } = this;
    io.isQuiet = flags.quiet === true;
    io.mayAsk = flags.noInput !== true;
    if (isJson(flags)) io.holdNotes();
    if (flags.noColor) {
      io.wantsColor = false;
      // The library that asks questions reads the environment by itself.
      this.#env.NO_COLOR = '1';
      delete this.#env.FORCE_COLOR;
    }
  }

  get configFolder(): string {
    return configFolder(this.#env);
  }

  get stateFolder(): string {
    return stateFolder(this.#env);
  }

  /** A variable of the environment; undefined where it is not set, or empty. */
  environment(name: string): string | undefined {
    return this.#env[name] || undefined;
  }

  /** The profiles, whichever of them is in effect. */
  get config(): Config {
    if (this.#config === undefined) {
      this.#config = readConfig(this.configFolder);
      for (const { api_key } of Object.values(this.#config.profiles)) if (api_key) this.io.redactor.add(api_key);
    }
    return this.#config;
  }

  get settings(): Settings {
    this.#settings ??= resolveSettings(this.flags, this.#env, this.config);
    return this.#settings;
  }

  /** Needs no sound settings, so that a profile can be looked at and left that no command accepts. */
  get profileInEffect(): string | undefined {
    return profileInEffect(this.flags, this.#env, this.config);
  }

  get isRemote(): boolean {
    return this.settings.target.mode === 'remote';
  }

  /** Pages of the call log asked for at a time, where nobody says: to ask the local engine ahead gains nothing. */
  get concurrency(): number {
    return this.isRemote ? REMOTE_CONCURRENCY : 1;
  }

  /** The organization, also where the key is not known or needed. */
  get organizationId(): number | undefined {
    return resolveOrganization(this.settings, this.flags, this.#env);
  }

  /** The key and where it comes from. It is asked for once, however often this is. */
  key(): Promise<FoundKey> {
    const { settings, flags, io, signal } = this;
    this.#key ??= resolveKey({ settings, flags, env: this.#env, io, signal });
    return this.#key;
  }

  async credentials(): Promise<Credentials> {
    const { key } = await this.key();
    return { organization_id: this.requireOrganization(), api_key: key };
  }

  /** Throws CredentialsError where none is set. */
  requireOrganization(): number {
    return requireOrganization(this.settings, this.flags, this.#env);
  }

  /**
   * The service that the settings mean. Where nobody chose one, the local engine serves and the person is told. What is sent
   * to a real one passes the guards, and is written to the register.
   */
  async service(sending: Sending = {}): Promise<Service> {
    this.#service ??= this.#connect();
    const service = await this.#service;
    const sent = this.isRemote ? this.#registering(service, sending) : service;
    return tellingNextStep(sent, (operation, request) => lookFirst(operation, request, this.#aftermath));
  }

  /** Loads what it needs when something is sent: to read calls takes no register. */
  #registering(service: Service, sending: Sending): Service {
    const registered = async () => {
      const { recorded } = await import('./register/recorded.ts');
      return recorded(service, await this.#recording(), sending);
    };
    return {
      ...service,
      triggerCall: async (request) => (await registered()).triggerCall(request),
      createCampaign: async (request) => (await registered()).createCampaign(request),
    };
  }

  /** Throws UsageError where a real service would be sent what it was, or may have been, sent before. */
  async requireNew(sent: Sent, sending: Sending): Promise<void> {
    const { requireNew } = await import('./register/recorded.ts');
    requireNew(sent, await this.#recording(), sending);
  }

  /** What was sent to real services from here. */
  async register(): Promise<Register> {
    const { openRegister } = await import('./sending.ts');
    return openRegister(this);
  }

  async #recording(): Promise<Recording> {
    const { target } = this.settings;
    const { recordingOf } = await import('./sending.ts');
    const { io, stateFolder, systemNow, commandLine } = this;
    const service = target.mode === 'remote' ? target.name : 'the local engine';
    const organizationId = this.requireOrganization();
    const connection = (org: number) => connectionFlags(org === organizationId ? this.flags : { ...this.flags, org });
    return recordingOf({ io, stateFolder, systemNow, commandLine, connection, service, organizationId });
  }

  async #connect(): Promise<Service> {
    const { target } = this.settings;
    this.tellProfile();
    if (target.mode === 'remote') return this.serviceAt(target.baseUrl, await this.credentials());
    if (!target.isChosen)
      this.io.note('Local engine: no real call is placed. (--base-url or a profile names a service.)');
    return (await this.local()).backend(await this.credentials());
  }

  /** Says, once, which of several profiles decides where nobody named it on the command line. */
  tellProfile(): void {
    const { settings, flags, config, io } = this;
    if (this.#isProfileTold) return;
    this.#isProfileTold = true;
    if (flags.profile !== undefined || Object.keys(config.profiles).length < 2) return;
    if (ownProfile(settings) === undefined) return;
    const { target, profileName, store } = settings;
    const where = target.mode === 'remote' ? target.baseUrl.host : `local engine, ${store}`;
    const organization = target.mode === 'remote' ? `, organization ${this.organizationId ?? 'unknown'}` : '';
    io.note(`Profile ${profileName}: ${where}${organization}.`);
  }

  /** A remote service, whatever the settings mean. `onRequest` hears of each finished request. */
  async serviceAt(
    baseUrl: URL,
    credentials: Credentials,
    onRequest: (request: FinishedRequest) => void = () => {},
  ): Promise<Service> {
    const { remoteBackend } = await import('./remote/client.ts');
    return remoteBackend({
      baseUrl,
      timeoutMs: this.flags.timeout ?? DEFAULT_TIMEOUT,
      signal: AbortSignal.any([this.signal, this.#end.signal]),
      proxy: await this.proxyFor(baseUrl),
      connection: this.connection,
      redact: (text) => this.io.redactor.redact(text),
      random: this.#random,
      onRequest: (request) => {
        const { method, path, result, ms, attempt } = request;
        if (this.flags.verbose) this.io.error(`${method} ${path} ${result} ${ms} ms, attempt ${attempt}`);
        onRequest(request);
      },
    })(credentials);
  }

  /** The flags that say which service is meant, for a command that is suggested; with a space before each. */
  get connection(): string {
    return connectionFlags(this.flags);
  }

  /** The command that shows what came of a call, from now on. */
  commandThatShows(request: RequestOf<'triggerCall'>): string {
    return commandThatShows('triggerCall', request, this.#aftermath);
  }

  get #aftermath(): Aftermath {
    return { sentAt: this.systemNow(), connection: this.connection };
  }

  /** Milliseconds since the epoch by the clock of whoever places the calls: the local engine's may be ahead. */
  async serviceNow(): Promise<number> {
    if (this.isRemote) return this.systemNow();
    const { timeline } = await this.local();
    return (await timeline.read()).now;
  }

  /** The local engine over the store that the settings name, whatever service they mean. */
  local(): Promise<LocalEngine> {
    this.#local ??= this.#openStore();
    return this.#local;
  }

  async #openStore(): Promise<LocalEngine> {
    const { openLocalEngine } = await import('./local/open.ts');
    return openLocalEngine({
      folder: this.settings.store,
      systemNow: this.systemNow,
      signal: this.signal,
      command: this.commandLine,
    });
  }

  /** The proxy through which a service is reached, its credentials masked from now on. Throws UsageError for a useless one. */
  async proxyFor(baseUrl: URL): Promise<HttpProxy | undefined> {
    const { proxyFor } = await import('./remote/proxy.ts');
    const proxy = proxyFor(baseUrl, this.#env);
    for (const secret of proxy?.secrets ?? []) this.io.redactor.add(secret);
    return proxy;
  }
}
