/** The composition root: what a command may use, created when it is first used. Only this file chooses a Backend. */
import { type Credentials, FIRST_ORGANIZATION, type Service } from './contract.ts';
import type { Rows } from './database/sql.ts';
import { DEFAULT_TIMEOUT, type GlobalFlags, isJson } from './flags/global.ts';
import { timeout } from './flags/values.ts';
import type { WrittenFlags } from './flags/written.ts';
import type { LocalEngine } from './local/open.ts';
import { type RegisterAccess, registerAccess } from './register/access.ts';
import { afterPlacing, type PlacedRequest, reportingPlaced } from './register/placed-request.ts';
import type { Sending } from './register/recorded.ts';
import type { FinishedRequest } from './remote/client.ts';
import type { Download } from './remote/download.ts';
import type { HttpProxy } from './remote/proxy.ts';
import type { Environment } from './settings/folders.ts';
import { type Output, outputOf } from './settings/output.ts';
import { requirePlaces } from './settings/places.ts';
import { profileNotice, type Settings, settingsOf } from './settings/settings.ts';
import { namingTimeoutFlag } from './terminal/advice.ts';
import type { Io } from './terminal/io.ts';
import { advisingToLook } from './terminal/look.ts';
import { Progress } from './terminal/progress.ts';

/** What a command may use. A test can build one over buffers. */
export interface Context {
  // The process
  readonly io: Io;
  readonly env: Environment;
  /** Aborts when the operator interrupts. */
  readonly signal: AbortSignal;
  /** The system's time in milliseconds since the epoch. */
  readonly systemNow: () => number;
  /** Chance: from 0 up to but not including 1. */
  readonly random: () => number;
  /** The exit code of the process if nothing is thrown. */
  exitCode: number;

  // What was asked for
  /** The flags of every command. */
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  /** For every file that the operator names to be written. */
  readonly output: Output;
  /** The command line. It stands in lock files, for the messages of other processes. */
  readonly commandLine: string;
  /** The same with what was answered at its questions, to be pasted into a shell; some flags can be left out. */
  commandInFull(without?: readonly string[]): string;

  // The services
  /**
   * The service of the settings; if none is chosen, the local engine, with a note. Nobody who opted out is called by it; requests to a
   * real service pass all guards and are written to the register.
   */
  service(sending?: Sending): Promise<Service>;
  /** A remote service, independent of the settings. `onRequest` is called after each finished request. */
  serviceAt(baseUrl: URL, credentials: Credentials, onRequest?: (request: FinishedRequest) => void): Promise<Service>;
  readonly serviceClock: ServiceClock;
  /**
   * A file at an address that the service gave, in words such as `recording`; no key goes there. `--timeout` is for the beginning of the answer, and for each
   * pause in it.
   */
  download(url: URL, what: string, maxBytes: number): Promise<Download>;
  /** The proxy for a service; its credentials are masked from now on. Throws UsageError if it cannot be used. */
  proxyFor(baseUrl: URL): Promise<HttpProxy | undefined>;
  /** Notes once which of several profiles is used, if the command line does not name it. */
  announceProfile(): void;
  /**
   * The local engine over the store of the settings, even if they mean a remote service. `signal` ends its long work; a command
   * that must finish what it has accepted passes a signal of its own.
   */
  local(signal?: AbortSignal): Promise<LocalEngine>;
  /** The same over another store: a folder, or the address of a database. */
  localAt(place: string): Promise<LocalEngine>;
  /** What must not be forgotten: the register and the plans, of this machine or of several. */
  rows(): Promise<Rows>;
  readonly register: RegisterAccess;
}

/** The clock of the service that places the calls. Milliseconds since the epoch. */
export interface ServiceClock {
  /** The local engine's clock, which may be ahead; the system's clock for a remote service. */
  now(): Promise<number>;
  /** A remote service's clock, by the dates of its answers; undefined if none had one. */
  byAnswers(): number | undefined;
}

export interface ContextParts extends Pick<Context, 'io' | 'env' | 'signal' | 'systemNow' | 'random'> {
  commandLine: string;
}

/** A context, and what only `run.ts` uses of it. */
export interface Composition {
  context: Context;
  /** Undefined until the command line is parsed. */
  flags(): GlobalFlags | undefined;
  /** Sets the flags of every command, and applies them to the streams. Throws InputError if one is a misspelt address. */
  useFlags(flags: GlobalFlags, written?: WrittenFlags): void;
  /** The error to report for a failure. If a call or a campaign was placed before, the error says so first. */
  reported(error: unknown): unknown;
  /** Ends requests that are no longer needed: a page requested ahead would keep the process running. */
  close(): void;
}

/** Characters; the rest is cut off. */
const LONGEST_COMMAND_LINE = 200;

export function compose({ io, env, signal, systemNow, random, commandLine }: ContextParts): Composition {
  const end = new AbortController();
  let parsed: GlobalFlags | undefined;
  let written: WrittenFlags | undefined;
  let placed: PlacedRequest | undefined;
  let isProfileAnnounced = false;
  let connected: Promise<Service> | undefined;
  let opened: Promise<LocalEngine> | undefined;
  let rows: Promise<Rows> | undefined;
  /** Milliseconds by which the service's clock was ahead of the system's at its last answer. */
  let serviceAhead: number | undefined;

  const flags = () => parsed ?? {};
  const settings = settingsOf({ flags, env, io, signal });
  const register = registerAccess({
    messages: {
      redact: (text) => io.redactor.redact(text),
      note: (text) => io.note(text),
      warn: (text) => io.warn(text),
    },
    rows: () => context.rows(),
    systemNow,
    target() {
      const target = settings.target();
      const isLocal = target.mode === 'local';
      const service = isLocal ? settings.storeKey() : target.name;
      return {
        service,
        isLocal,
        // Only what is sent or written is an organization's.
        get organizationId() {
          return settings.requireOrganization();
        },
      };
    },
    clockAhead: () => serviceAhead,
  });

  const connect = async (): Promise<Service> => {
    const target = settings.target();
    context.announceProfile();
    if (target.mode === 'remote') return context.serviceAt(target.baseUrl, await settings.credentials());
    if (!target.isChosen) io.note('Local engine: no real call is placed. (--base-url or a profile names a service.)');
    return (await context.local()).backend(await settings.credentials());
  };

  const context: Context = {
    io,
    env,
    signal,
    systemNow,
    random,
    exitCode: 0,
    get flags() {
      return flags();
    },
    settings,
    get commandLine() {
      return io.redactor.redact(commandLine).slice(0, LONGEST_COMMAND_LINE);
    },
    output: outputOf({
      settings,
      files: () => written?.files(io.answers),
      command: () => context.commandLine,
    }),
    commandInFull: (without) => written?.completedBy(io.answers, without) ?? '',
    rows() {
      rows ??= openRowsOf(settings, context);
      return rows;
    },
    register,

    async service(sending = {}) {
      connected ??= connect();
      const service = await connected;
      const guarded = register.guarded(service, sending);
      const onPlaced = (request: PlacedRequest) => {
        placed = request;
      };
      const reporting = reportingPlaced(guarded, onPlaced, sending.plan);
      const keeping = settings.isRemote() ? reporting : keepingRows(reporting, sending, context);
      return advisingToLook(keeping, systemNow, flags());
    },

    async serviceAt(baseUrl, credentials, onRequest) {
      const { remoteBackend } = await import('./remote/client.ts');
      const backend = remoteBackend({
        baseUrl,
        timeoutMs: flags().timeout ?? timeout(DEFAULT_TIMEOUT),
        signal: AbortSignal.any([signal, end.signal]),
        proxy: await context.proxyFor(baseUrl),
        redact: (text) => io.redactor.redact(text),
        random,
        now: systemNow,
        onRequest(request) {
          // The command has ended, and with it the streams.
          if (end.signal.aborted) return;
          const { method, path, result, ms, attempt, date } = request;
          const at = Date.parse(date ?? '');
          if (!Number.isNaN(at)) serviceAhead = at - systemNow();
          if (flags().verbose) io.error(`${method} ${path} ${result} ${ms} ms, attempt ${attempt}`);
          onRequest?.(request);
        },
      });
      return namingTimeoutFlag(backend(credentials));
    },

    serviceClock: {
      async now() {
        if (settings.isRemote()) return systemNow();
        const { timeline } = await context.local();
        return (await timeline.read()).now;
      },
      byAnswers: () => (serviceAhead === undefined ? undefined : systemNow() + serviceAhead),
    },

    async download(url, what, maxBytes) {
      const { download } = await import('./remote/download.ts');
      const target = settings.target();
      return download(url, {
        what,
        maxBytes,
        timeoutMs: flags().timeout ?? timeout(DEFAULT_TIMEOUT),
        signal: AbortSignal.any([signal, end.signal]),
        proxyFor: context.proxyFor,
        mayAsk({ href, origin }) {
          const isOwn = target.mode === 'remote' && target.baseUrl.origin === origin;
          return isOwn || !io.redactor.isIn(href);
        },
        onAnswer: ({ host }, status) => {
          if (flags().verbose) io.error(`GET ${host} ${status}`);
        },
      });
    },

    async proxyFor(baseUrl) {
      const { proxyFor } = await import('./remote/proxy.ts');
      const proxy = proxyFor(baseUrl, env);
      for (const secret of proxy?.secrets ?? []) io.redactor.add(secret);
      return proxy;
    },

    announceProfile() {
      if (isProfileAnnounced) return;
      isProfileAnnounced = true;
      const notice = profileNotice(settings, flags());
      if (notice !== undefined) io.note(notice);
    },

    local(until = signal) {
      opened ??= openStore(settings.store(), settings.localOrganization(), context, until);
      return opened;
    },
    localAt: (place) => openStore(place, FIRST_ORGANIZATION, context, signal),
  };

  return {
    context,
    flags: () => parsed,
    useFlags(given, writtenFlags) {
      parsed = given;
      written = writtenFlags;
      io.configure({
        isQuiet: given.quiet === true,
        mayAsk: given.noInput !== true,
        hasColor: given.noColor !== true,
        mayPage: given.noPager !== true,
        isJson: isJson(given),
      });
      requirePlaces(given);
    },
    reported(error) {
      return placed === undefined ? error : afterPlacing(error, placed, systemNow());
    },
    close: () => end.abort(),
  };
}

/** The same service of the local engine; the original rows of a campaign go to its store. */
function keepingRows(service: Service, { rows }: Sending, context: Context): Service {
  if (rows === undefined) return service;
  return {
    ...service,
    async createCampaign(request) {
      const created = await service.createCampaign(request);
      const { store } = await context.local();
      await store.keepRows(
        created.campaign_id,
        rows.file((text) => context.io.redactor.redact(text)),
      );
      return created;
    },
  };
}

async function openRowsOf(settings: Settings, { commandLine }: Context): Promise<Rows> {
  const { openRows } = await import('./register/open-rows.ts');
  const { operator } = await import('./register/operator.ts');
  const place = settings.register();
  return openRows({ place, isNamed: place !== settings.stateFolder(), command: commandLine, by: operator });
}

async function openStore(
  place: string,
  organizationId: number,
  { io, systemNow, commandLine }: Context,
  signal: AbortSignal,
): Promise<LocalEngine> {
  const { openLocalEngine } = await import('./local/open.ts');
  return openLocalEngine({
    folder: place,
    organizationId,
    systemNow,
    signal,
    catchUp: (since, now) => callsDue(io, since, now),
    command: commandLine,
    onStale: ({ message }) =>
      io.warn(`what fell due since the store was last written has not happened, and is not shown. ${message}`),
  });
}

/** Shows how far the calls are that fell due since the last command: after a long absence, they are many. */
function callsDue(io: Io, since: number, now: number) {
  const progress = new Progress(io, 'Placing the calls that fell due');
  let calls = 0;
  return {
    onCall: ({ timestamp }: { timestamp?: unknown }) =>
      progress.at(++calls, undefined, (Date.parse(String(timestamp)) - since) / (now - since)),
    end: () => progress.end(),
  };
}
