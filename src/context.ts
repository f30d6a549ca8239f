/** The composition root: what a command may use, created when it is first used. Only this file chooses a Backend. */
import { DEFAULT_TIMEOUT, type GlobalFlags, withJq } from './cli/flags/global.ts';
import { PlainCommand } from './cli/flags/plain-command.ts';
import { timeout } from './cli/flags/values.ts';
import { advisingToLook, namingTimeoutFlag } from './cli/terminal/advice.ts';
import type { Io } from './cli/terminal/io.ts';
import { Progress } from './cli/terminal/progress.ts';
import { type Credentials, FIRST_ORGANIZATION, type Service, type SilentService } from './contract.ts';
import type { Download } from './http/client/download.ts';
import type { HttpProxy } from './http/client/proxy.ts';
import type { LocalEngine } from './local/open.ts';
import type { Transaction } from './local/transaction.ts';
import { afterPlacing, registerAccess } from './register/access.ts';
import type { PlacedRequest, Sending } from './register/guards.ts';
import type { Clock, Ports, RegisterAccess } from './register/ports.ts';
import { type CommandLine, commandLineOf } from './settings/command-line.ts';
import type { Environment } from './settings/folders.ts';
import { profileNotice, requirePlaces, Settings } from './settings/settings.ts';

/** What a command may use: what the library is handed, and the command line's own. A test can build one over buffers. */
export interface Context extends Ports {
  readonly io: Io;
  /** The flags of every command. */
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  readonly line: CommandLine;
  readonly services: Services;
  readonly local: LocalEngines;
}

/** `chosen`: that of the settings; if none is chosen, the local engine, with a note. */
export type Services = Ports['services'] & {
  /** A remote service, independent of the settings. No guard stands before it, so it is none to call by. */
  at(baseUrl: URL, credentials: Credentials): Promise<SilentService>;
  /**
   * A file at an address that the service gave, in words such as `recording`; no key goes there. `--timeout` is for the
   * beginning of the answer, and for each pause in it.
   */
  download(url: URL, what: string, maxBytes: number): Promise<Download>;
  /** The proxy for a service; its credentials are masked from now on. Throws UsageError if it cannot be used. */
  proxyFor(baseUrl: URL): Promise<HttpProxy | undefined>;
  /** Notes once which of several profiles is used, if the command line does not name it. */
  announce(): void;
};

/** `engine`: over the store of the settings. A command that must finish what it has accepted passes a signal of its own. */
export type LocalEngines = Ports['local'] & {
  /** The same over another store: a folder, or the address of a database. */
  at(place: string): Promise<LocalEngine>;
};

export interface ContextParts {
  io: Io;
  env: Environment;
  signal: AbortSignal;
  /** This machine's time in milliseconds since the epoch. */
  systemNow: () => number;
  /** Chance: from 0 up to but not including 1. */
  random: () => number;
  commandLine: string;
}

/** A context, and what only `run.ts` uses of it. */
export interface Composition {
  context: Context;
  /** Undefined until the command line is parsed. */
  flags(): GlobalFlags | undefined;
  /** Sets the flags of every command, and applies them to the streams. Throws InputError if one is a misspelt address. */
  useFlags(flags: GlobalFlags, command?: PlainCommand): void;
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
  let chosen = new PlainCommand('vagent');
  let placed: PlacedRequest | undefined;
  let isProfileAnnounced = false;
  let connected: Promise<Service> | undefined;
  let opened: Promise<LocalEngine> | undefined;
  let rows: ReturnType<RegisterAccess['rows']> | undefined;
  /** Milliseconds by which the service's clock was ahead of the system's at its last answer. */
  let serviceAhead: number | undefined;

  const flags = () => parsed ?? {};
  const redact = (text: string) => io.redactor.redact(text);
  const settings = new Settings({ flags, env, io, signal });
  const line = commandLineOf({
    settings,
    answers: io.answers,
    chosen: () => chosen,
    command: () => redact(commandLine).slice(0, LONGEST_COMMAND_LINE),
  });

  const notes: Ports['notes'] = {
    redact,
    note: (text) => io.note(text),
    warn: (text) => io.warn(text),
    progress: (doing) => new Progress(io, doing),
  };

  const register = registerAccess({
    notes,
    rows() {
      rows ??= openRowsOf(settings, line);
      return rows;
    },
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
    onPlaced(request) {
      placed = request;
    },
  });

  const local: LocalEngines = {
    engine(until = signal) {
      opened ??= openStore(settings.store(), settings.localOrganization(), context, until);
      return opened;
    },
    at: (place) => openStore(place, FIRST_ORGANIZATION, context, signal),
  };

  const clock: Clock = {
    system: systemNow,
    async now() {
      if (settings.isRemote()) return systemNow();
      const { timeline } = await local.engine();
      return (await timeline.read()).now;
    },
    byAnswers: () => (serviceAhead === undefined ? undefined : systemNow() + serviceAhead),
  };

  const remote = async (baseUrl: URL, credentials: Credentials): Promise<Service> => {
    const { remoteBackend } = await import('./http/client/client.ts');
    const backend = remoteBackend({
      baseUrl,
      timeoutMs: flags().timeout ?? timeout(DEFAULT_TIMEOUT),
      signal: AbortSignal.any([signal, end.signal]),
      proxy: await services.proxyFor(baseUrl),
      redact,
      random,
      now: systemNow,
      onRequest({ method, path, result, ms, attempt, date }) {
        // The command has ended, and with it the streams.
        if (end.signal.aborted) return;
        const at = Date.parse(date ?? '');
        if (!Number.isNaN(at)) serviceAhead = at - systemNow();
        if (flags().verbose) io.error(`${method} ${path} ${result} ${ms} ms, attempt ${attempt}`);
      },
    });
    return namingTimeoutFlag(backend(credentials));
  };

  const connect = async (): Promise<Service> => {
    const target = settings.target();
    services.announce();
    if (target.mode === 'remote') return remote(target.baseUrl, await settings.credentials());
    if (!target.isChosen) io.note('Simulator: no real call is placed. (--base-url or a profile names a service.)');
    return (await local.engine()).backend(await settings.credentials());
  };

  const services: Services = {
    async chosen(sending = {}) {
      connected ??= connect();
      const service = await connected;
      const guarded = register.guarded(service, sending);
      const keeping = settings.isRemote() ? guarded : keepingRows(guarded, sending, context);
      return advisingToLook(keeping, systemNow, flags());
    },

    at: remote,

    async download(url, what, maxBytes) {
      const { download } = await import('./http/client/download.ts');
      const target = settings.target();
      return download(url, {
        what,
        maxBytes,
        timeoutMs: flags().timeout ?? timeout(DEFAULT_TIMEOUT),
        signal: AbortSignal.any([signal, end.signal]),
        proxyFor: services.proxyFor,
        mayAsk({ href, origin }) {
          const isOwn = target.mode === 'remote' && target.baseUrl.origin === origin;
          return isOwn || !io.redactor.isIn(href);
        },
        onReply: ({ host }, status) => {
          if (flags().verbose) io.error(`GET ${host} ${status}`);
        },
      });
    },

    async proxyFor(baseUrl) {
      const { proxyFor } = await import('./http/client/proxy.ts');
      const proxy = proxyFor(baseUrl, env);
      for (const secret of proxy?.secrets ?? []) io.redactor.add(secret);
      return proxy;
    },

    announce() {
      if (isProfileAnnounced) return;
      isProfileAnnounced = true;
      const notice = profileNotice(settings);
      if (notice !== undefined) io.note(notice);
    },
  };

  const context: Context = {
    ...{ io, settings, line, notes, signal, clock, services, local, register },
    get flags() {
      return withJq(flags());
    },
  };

  return {
    context,
    flags: () => parsed,
    useFlags(given, command) {
      parsed = given;
      if (command !== undefined) chosen = command;
      io.configure(given);
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
      const { store } = await context.local.engine();
      const file = rows.file((text) => context.io.redactor.redact(text));
      const keep = (transaction: Transaction) => transaction.keepRows(created.campaign_id, file);
      await store.transact(context.settings.localOrganization(), [keep]);
      return created;
    },
  };
}

async function openRowsOf(settings: Settings, { command }: CommandLine) {
  const { openRows } = await import('./register/open-rows.ts');
  const place = settings.register();
  const isNamed = place !== settings.stateFolder();
  return openRows({
    ...{ place, isNamed, command },
    bringPlans: async (old, sql) => (await import('./plans/before/bring-plans.ts')).bringPlans(old, sql),
  });
}

async function openStore(
  place: string,
  organizationId: number,
  { io, clock, line }: Context,
  signal: AbortSignal,
): Promise<LocalEngine> {
  const { openLocalEngine } = await import('./local/open.ts');
  return openLocalEngine({
    folder: place,
    organizationId,
    systemNow: clock.system,
    signal,
    catchUp: (since, now) => callsDue(io, since, now),
    command: line.command,
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
