/** Which service to use, and with which credentials: flag > environment > active profile > default. */
import { join } from 'node:path';
import type { GlobalFlags } from '../cli/flags/global.ts';
import { type Io, sourceName } from '../cli/terminal/io.ts';
import { type Credentials, FIRST_ORGANIZATION, localCredentials, parseInteger } from '../contract.ts';
import { CredentialsError, FileError, UsageError } from '../errors.ts';
import { quietly } from '../storage/files/file-system.ts';
import { readPlace, storeKey, storeName } from '../storage/files/store-place.ts';
import { parseBaseUrl, readUrl } from '../text/url.ts';
import { configFolder, type Environment, NO_HOME, stateFolder } from './folders.ts';
import { type Config, commandThatCloses, findProfile, type Profile, readConfig } from './profiles.ts';

export interface SettingsParts {
  /** Those of the command line, as far as it has been parsed. */
  flags: () => GlobalFlags;
  env: Environment;
  io: Io;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
}

export interface FoundKey {
  key: string;
  /** Its origin, in words that may be shown. */
  source: string;
}

/**
 * The settings in effect. Each is looked up when it is first used, and throws if it cannot be found: commands that use no
 * service work even if the settings of one are wrong.
 */
export class Settings {
  readonly env: Environment;
  readonly #parts: SettingsParts;
  #config: Config | undefined;
  #key: Promise<FoundKey> | undefined;

  constructor(parts: SettingsParts) {
    this.env = parts.env;
    this.#parts = parts;
  }

  get flags(): GlobalFlags {
    return this.#parts.flags();
  }

  readonly configFolder = () => configFolder(this.env);
  readonly stateFolder = () => stateFolder(this.env);

  /** All profiles. */
  config(): Config {
    if (this.#config !== undefined) return this.#config;
    const { redactor } = this.#parts.io;
    this.#config = this.#readProfiles();
    for (const { api_key } of Object.values(this.#config.profiles)) if (api_key) redactor.add(api_key);
    for (const place of oddPlaces(this.#config)) redactor.add(place);
    return this.#config;
  }

  #readProfiles(): Config {
    try {
      return readConfig(this.configFolder());
    } catch (error) {
      // A user without a place for profiles has none, and commands that need no such place still work.
      if (error instanceof FileError && error.code === NO_HOME) return { profiles: {} };
      throw error;
    }
  }

  /** The name of the profile in effect, whether or not it exists. */
  readonly profileName = () => this.flags.profile ?? (this.env.VAGENT_PROFILE || this.config().active);

  profile(): Profile | undefined {
    const name = this.profileName();
    return name === undefined ? undefined : findProfile(this.config(), name);
  }

  /** The profile in effect, if its own service is the target: its credentials are never sent to another base URL. */
  ownProfile(): Profile | undefined {
    const profile = this.profile();
    const target = this.target();
    if (target.mode === 'local') return profile?.mode === 'local' ? profile : undefined;
    const own = readUrl(profile?.base_url ?? '');
    return own !== undefined && serviceName(own) === target.name ? profile : undefined;
  }

  readonly target = () => resolveTarget(this.flags, this.env, this.profile());
  readonly isRemote = () => this.target().mode === 'remote';

  // A profile that does not exist is always an error, so it is looked up for each of these places.

  /** The local engine's store, a folder or the address of a database, whatever the target: `vagent local` always uses it. */
  readonly store = () =>
    chosenPlace('store', this.flags, this.env, this.profile()) ?? join(this.stateFolder(), 'store');
  /** The same text for the same store, whatever the working folder. */
  readonly storeKey = () => storeKey(this.store());
  /** Where the register and the plans are: a folder, or the address of a database. */
  readonly register = () => chosenPlace('register', this.flags, this.env, this.profile()) ?? this.stateFolder();

  /** The environment variable is about remote services only. */
  organization(): number | undefined {
    const profile = this.ownProfile();
    if (!this.isRemote()) return this.localOrganization();
    return this.flags.org ?? byRank(this.flags, organizationOf(this.env), profile?.organization_id);
  }

  /** The organization of the local engine, whatever the target. */
  localOrganization(): number {
    const profile = this.profile();
    const own = profile?.mode === 'local' ? profile.organization_id : undefined;
    return this.flags.org ?? own ?? FIRST_ORGANIZATION;
  }

  /** Throws CredentialsError if no organization is set. */
  requireOrganization(): number {
    const organization = this.organization();
    if (organization !== undefined) return organization;
    throw new CredentialsError('No organization is set for this service.', {
      hint: 'Name it with --org, VAGENT_ORG_ID or a profile (vagent profile add).',
    });
  }

  /** The key and its origin, masked in all output from now on. It is looked up only once. Throws CredentialsError. */
  key(): Promise<FoundKey> {
    this.#key ??= this.#findKey();
    return this.#key;
  }

  async credentials(): Promise<Credentials> {
    const { key } = await this.key();
    return { organization_id: this.requireOrganization(), api_key: key };
  }

  async #findKey(): Promise<FoundKey> {
    const isRemote = this.isRemote();
    const { apiKeyFile: file } = this.flags;
    const { io } = this.#parts;
    const given = file === undefined ? undefined : { key: await readKeyFile(file, io), source: sourceName(file) };
    const found = given ?? (await (isRemote ? this.#serviceKey() : this.#engineKey()));
    if (found === undefined) throw this.#missingKey();
    requireReadable(found.key, found.source);
    if (isRemote) io.redactor.add(found.key);
    return found;
  }

  async #serviceKey(): Promise<FoundKey | undefined> {
    const { VAGENT_API_KEY: key } = this.env;
    const ofEnvironment = key ? { key, source: 'VAGENT_API_KEY' } : undefined;
    if (this.flags.profile === undefined) return ofEnvironment ?? (await this.#profileKey());
    return (await this.#profileKey()) ?? ofEnvironment;
  }

  async #engineKey(): Promise<FoundKey> {
    const { api_key: key } = localCredentials(this.localOrganization());
    return (await this.#profileKey()) ?? { key, source: 'the simulator itself' };
  }

  /** A command of the operator's may have to be run. */
  async #profileKey(): Promise<FoundKey | undefined> {
    const { api_key, api_key_command } = this.ownProfile() ?? {};
    const named = `profile ${this.profileName()}`;
    if (api_key) return { key: api_key, source: named };
    if (api_key_command === undefined) return undefined;
    const { keyFromCommand } = await import('./key-command.ts');
    const key = await keyFromCommand(api_key_command, this.#parts);
    return { key, source: `the api_key_command of ${named}` };
  }

  #missingKey(): CredentialsError {
    const target = this.target();
    const { api_key, api_key_command } = this.profile() ?? {};
    const foreign = api_key ?? api_key_command;
    const host = target.mode === 'remote' ? target.baseUrl.host : '';
    const name = this.profileName();
    const why = foreign === undefined ? '' : ` The key of profile ${name} is for another base URL and stays there.`;
    return new CredentialsError(`No API key is set for ${host}.${why}`, {
      hint: 'Set VAGENT_API_KEY, name a file with --api-key-file, or keep it in a profile: vagent profile add.',
    });
  }
}

/** Names the profile in effect if there are several and none was chosen: a sentence for the operator. */
export function profileNotice(settings: Settings): string | undefined {
  if (settings.flags.profile !== undefined || Object.keys(settings.config().profiles).length < 2) return undefined;
  if (settings.ownProfile() === undefined) return undefined;
  const target = settings.target();
  const where =
    target.mode === 'remote'
      ? `${target.baseUrl.host}, organization ${settings.organization() ?? 'unknown'}`
      : `simulator, ${storeName(settings.store())}`;
  return `Profile ${settings.profileName()}: ${where}.`;
}

function organizationOf({ VAGENT_ORG_ID: text }: Environment): number | undefined {
  if (!text) return undefined;
  const organization = parseInteger(text);
  if (organization !== undefined) return organization;
  throw new UsageError(`VAGENT_ORG_ID must be an integer, not ${JSON.stringify(text)}.`);
}

// The API key as it stands in a file or an environment variable -------------------------------------------------------

/** Bytes. */
const LONGEST_KEY_FILE = 64 * 1024;

/** A key that was damaged on its way is not sent. Throws CredentialsError. */
function requireReadable(key: string, source: string): void {
  // Control characters, halves of characters, and what stands for bytes that are no text.
  if (!/[\p{Cc}\p{Cs}\ufffd]/u.test(key)) return;
  throw new CredentialsError(`The API key from ${source} holds a character that no key has: it was not sent.`, {
    hint: 'Copy it once more, as plain text.',
  });
}

/** Reads a key from a file or standard input that holds nothing else. Throws CredentialsError. */
export async function readKeyFile(path: string, io: Io): Promise<string> {
  const bytes = await io.read(path, '--api-key-file', LONGEST_KEY_FILE).catch((error: unknown) => {
    if (error instanceof FileError) throw new CredentialsError(error.message, { cause: error });
    throw error;
  });
  const key = bytes.toString('utf8').trim();
  if (key === '' || /\s/.test(key)) {
    throw new CredentialsError(`${sourceName(path)} must hold one API key and nothing else.`);
  }
  requireReadable(key, sourceName(path));
  const fix = path === '-' ? undefined : commandThatCloses(path);
  if (fix !== undefined) io.warn(`${path} holds a key and can be read or changed by others: ${fix}`);
  return key;
}

// Where the store and the register are, as folders or addresses of databases -----------------------------------------

const PLACES = { store: 'VAGENT_STORE', register: 'VAGENT_REGISTER' };
type PlaceName = keyof typeof PLACES;

/** Undefined if none is set. Throws InputError if it is a misspelt address. */
function chosenPlace(what: PlaceName, flags: GlobalFlags, env: Environment, profile?: Profile): string | undefined {
  const from = (place: string | undefined, source: string) =>
    place ? { place, name: `${what} in ${source}` } : undefined;
  const variable = PLACES[what];
  const given = from(flags[what], `--${what}`);
  const chosen = given ?? byRank(flags, from(env[variable], variable), from(profile?.[what], 'the profile'));
  return chosen && readPlace(chosen.place, chosen.name);
}

/** Throws InputError if a flag is a misspelt address: before anything is shown, or kept, that repeats the flags. */
export function requirePlaces(flags: GlobalFlags): void {
  chosenPlace('store', flags, {});
  chosenPlace('register', flags, {});
}

/** Places of profiles, of earlier versions or written by hand, that are misspelt: they may hold a password. */
function oddPlaces({ profiles }: Config): string[] {
  const places = Object.values(profiles).flatMap(({ store, register }) => [store ?? '', register ?? '']);
  return places.filter((place) => place !== '' && quietly(() => readPlace(place, 'store')) === undefined);
}

// Where requests go: to a service at a base URL, or to the local engine --------------------------------------------------

/** `name` is the base URL as written in the register; `isChosen` says whether the local engine was chosen explicitly. */
export type Target = { mode: 'remote'; baseUrl: URL; name: string } | { mode: 'local'; isChosen: boolean };

/** A profile named on the command line takes precedence over the environment; the active one does not. */
function byRank<T>(flags: GlobalFlags, fromEnvironment: T | undefined, fromProfile: T | undefined): T | undefined {
  const environment = fromEnvironment === '' ? undefined : fromEnvironment;
  return flags.profile === undefined ? (environment ?? fromProfile) : (fromProfile ?? environment);
}

/** Throws UsageError if flags contradict each other, or a URL cannot be used. */
function resolveTarget(flags: GlobalFlags, env: Environment, profile: Profile | undefined): Target {
  if (flags.local === true && flags.baseUrl !== undefined) {
    throw new UsageError('--local and --base-url cannot be used together.');
  }
  const engine: Target = { mode: 'local', isChosen: true };
  const serviceAt = (baseUrl: URL): Target => {
    requireEncryption(baseUrl, flags);
    return { mode: 'remote', baseUrl, name: serviceName(baseUrl) };
  };
  const written = (url: string | undefined, source: string) => (url ? serviceAt(parseBaseUrl(url, source)) : undefined);
  if (flags.local) return engine;
  if (flags.baseUrl !== undefined) return serviceAt(flags.baseUrl);
  const ofEnvironment = env.VAGENT_LOCAL === '1' ? engine : written(env.VAGENT_BASE_URL, 'VAGENT_BASE_URL');
  const ofProfile = profile?.mode === 'local' ? engine : written(profile?.base_url, 'The base URL of the profile');
  return byRank(flags, ofEnvironment, ofProfile) ?? { mode: 'local', isChosen: false };
}

/** The base URL without slashes at the end, so that one service has one name. */
function serviceName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Plain http is allowed only to this machine. `why` it matters. */
export function requireEncryption(
  { protocol, hostname, origin }: URL,
  { insecureHttp }: GlobalFlags,
  why = 'every request carries the API key',
): void {
  if (protocol === 'http:' && !LOOPBACK.test(hostname) && insecureHttp !== true) {
    throw new UsageError(`${origin} is not encrypted, and ${why}.`, {
      hint: 'Use https://, or give --insecure-http if you accept that.',
    });
  }
}
