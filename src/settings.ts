/** Which service is meant, and with which credentials: flag > environment > active profile > default. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseInteger } from './contract.ts';
import { DEMO_API_KEY, DEMO_ORGANIZATION_ID } from './engine/state.ts';
import { CredentialsError, FileError, UsageError } from './errors.ts';
import { type Io, sourceName } from './io.ts';
import { type Config, commandThatCloses, findProfile, type Profile } from './profiles.ts';

export type Environment = Record<string, string | undefined>;

/** The flags of every command, as given. */
export interface GlobalFlags {
  profile?: string;
  local?: boolean;
  store?: string;
  baseUrl?: URL;
  org?: number;
  apiKeyFile?: string;
  insecureHttp?: boolean;
  output?: OutputFormat;
  json?: boolean;
  fields?: string[];
  noHeader?: boolean;
  quiet?: boolean;
  yes?: boolean;
  noInput?: boolean;
  /** Milliseconds. */
  timeout?: number;
  verbose?: boolean;
  noColor?: boolean;
}

export const OUTPUT_FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Whether the output, and so an error too, is to be JSON. */
export function isJson({ json, output }: GlobalFlags): boolean {
  return json === true || output === 'json';
}

export interface Settings {
  /** The profile in effect, if any. */
  profileName: string | undefined;
  profile: Profile | undefined;
  /** Where requests go: a base URL, or the store of the local engine. */
  target: { mode: 'remote'; baseUrl: URL; name: string } | { mode: 'local'; isChosen: boolean };
  /** Folder of the local engine's store, whatever the target: `vagent local` always means it. */
  store: string;
}

/** Where profiles are kept. */
export function configFolder(env: Environment): string {
  return env.VAGENT_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'vagent');
}

/** Where the local engine's store and the register of what was sent are kept. */
export function stateFolder(env: Environment): string {
  return env.VAGENT_STATE_DIR || join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'vagent');
}

/** The name of the profile in effect, whether or not there is such a profile. */
export function profileInEffect(flags: GlobalFlags, env: Environment, { active }: Config): string | undefined {
  return flags.profile ?? (env.VAGENT_PROFILE || active);
}

export function resolveSettings(flags: GlobalFlags, env: Environment, config: Config): Settings {
  const profileName = profileInEffect(flags, env, config);
  const profile = profileName === undefined ? undefined : findProfile(config, profileName);
  return {
    profileName,
    profile,
    // Found when asked for: what never speaks to a service works under settings that no service could be reached with.
    get target() {
      return resolveTarget(flags, env, profile);
    },
    store: flags.store ?? byRank(flags, env.VAGENT_STORE, profile?.store) ?? join(stateFolder(env), 'store'),
  };
}

/** A profile named on the command line beats the environment; the active one does not. */
function byRank<T>(flags: GlobalFlags, fromEnvironment: T | undefined, fromProfile: T | undefined): T | undefined {
  const environment = fromEnvironment === '' ? undefined : fromEnvironment;
  return flags.profile === undefined ? (environment ?? fromProfile) : (fromProfile ?? environment);
}

function resolveTarget(flags: GlobalFlags, env: Environment, profile: Profile | undefined): Settings['target'] {
  if (flags.local === true && flags.baseUrl !== undefined) {
    throw new UsageError('--local and --base-url exclude each other.');
  }
  const local = { mode: 'local' as const, isChosen: true };
  if (flags.local === true) return local;
  if (flags.baseUrl !== undefined) return remote(flags.baseUrl, flags);

  const fromEnvironment = env.VAGENT_LOCAL === '1' ? local : fromBaseUrl(env.VAGENT_BASE_URL, 'VAGENT_BASE_URL', flags);
  const fromProfile =
    profile?.mode === 'local' ? local : fromBaseUrl(profile?.base_url, 'The base URL of the profile', flags);
  return byRank(flags, fromEnvironment, fromProfile) ?? { mode: 'local', isChosen: false };
}

function fromBaseUrl(text: string | undefined, source: string, flags: GlobalFlags): Settings['target'] | undefined {
  return text ? remote(parseBaseUrl(text, source), flags) : undefined;
}

/** An http or https URL without a query, a fragment or credentials of its own. */
export function parseBaseUrl(text: string, source: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url !== undefined && isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new UsageError(`${source} is not a base URL like https://voice.example.com/api.`);
}

/** A service as it is known again: its base URL without slashes at the end. */
function serviceName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function remote(baseUrl: URL, flags: GlobalFlags): Settings['target'] {
  requireEncryption(baseUrl, flags);
  return { mode: 'remote', baseUrl, name: serviceName(baseUrl) };
}

/** The key rides in the request, so plain http goes to this machine only. */
export function requireEncryption(baseUrl: URL, { insecureHttp }: GlobalFlags): void {
  if (baseUrl.protocol === 'http:' && !LOOPBACK.test(baseUrl.hostname) && insecureHttp !== true) {
    throw new UsageError(`${baseUrl.origin} is not encrypted, and every request carries the API key.`, {
      hint: 'Use https://, or say --insecure-http if you accept that.',
    });
  }
}

export interface FoundKey {
  key: string;
  /** Where it comes from, in words that may be shown. */
  source: string;
}

/** What finding the key takes: a profile's command may have to be run. */
export interface KeySearch {
  settings: Settings;
  flags: GlobalFlags;
  env: Environment;
  io: Io;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
}

/** The key for the target of the settings, kept out of every output from now on. Throws CredentialsError. */
export async function resolveKey(search: KeySearch): Promise<FoundKey> {
  const found = await findKey(search);
  if (found === undefined) throw missingKey(search.settings);
  if (search.settings.target.mode === 'remote') search.io.redactor.add(found.key);
  return found;
}

async function findKey(search: KeySearch): Promise<FoundKey | undefined> {
  const { settings, flags, env, io } = search;
  if (flags.apiKeyFile !== undefined) {
    return { key: await readKeyFile(flags.apiKeyFile, io), source: sourceName(flags.apiKeyFile) };
  }
  const ofProfile = () => profileKey(search);
  if (settings.target.mode === 'local') {
    return (await ofProfile()) ?? { key: DEMO_API_KEY, source: 'the local engine itself' };
  }
  const ofEnvironment = env.VAGENT_API_KEY ? { key: env.VAGENT_API_KEY, source: 'VAGENT_API_KEY' } : undefined;
  if (flags.profile !== undefined) return (await ofProfile()) ?? ofEnvironment;
  return ofEnvironment ?? ofProfile();
}

async function profileKey({ settings, io, signal }: KeySearch): Promise<FoundKey | undefined> {
  const { api_key, api_key_command } = ownProfile(settings) ?? {};
  const named = `profile ${settings.profileName}`;
  if (api_key) return { key: api_key, source: named };
  if (api_key_command === undefined) return undefined;
  const { keyFromCommand } = await import('./key-command.ts');
  return { key: await keyFromCommand(api_key_command, { io, signal }), source: `the api_key_command of ${named}` };
}

/** The organization of the target of the settings. Throws CredentialsError where none is set. */
export function requireOrganization(settings: Settings, flags: GlobalFlags, env: Environment): number {
  const organization = resolveOrganization(settings, flags, env);
  if (organization !== undefined) return organization;
  throw new CredentialsError('No organization is set for this service.', {
    hint: 'Name it with --org, VAGENT_ORG_ID or a profile (vagent profile add).',
  });
}

/** The organization that requests are made for; the environment's is that of a remote service. */
export function resolveOrganization(settings: Settings, flags: GlobalFlags, env: Environment): number | undefined {
  const profile = ownProfile(settings);
  if (settings.target.mode === 'local') return flags.org ?? profile?.organization_id ?? DEMO_ORGANIZATION_ID;
  return flags.org ?? byRank(flags, organizationOf(env), profile?.organization_id);
}

/**
 * The profile in effect, where it is its own service that is meant. A profile's credentials belong to that: they are never
 * sent to another base URL.
 */
export function ownProfile({ profile, target }: Settings): Profile | undefined {
  if (profile === undefined) return undefined;
  if (target.mode === 'local') return profile.mode === 'local' ? profile : undefined;
  const own = profile.base_url;
  const isOwn = own !== undefined && URL.canParse(own) && serviceName(new URL(own)) === target.name;
  return isOwn ? profile : undefined;
}

function missingKey({ profile, profileName, target }: Settings): CredentialsError {
  const hasForeignKey = profile?.api_key !== undefined || profile?.api_key_command !== undefined;
  const host = target.mode === 'remote' ? target.baseUrl.host : '';
  const why = hasForeignKey ? ` The key of profile ${profileName} is for another base URL and stays there.` : '';
  return new CredentialsError(`No API key is set for ${host}.${why}`, {
    hint: 'Set VAGENT_API_KEY, name a file with --api-key-file, or keep it in a profile: vagent profile add.',
  });
}

function organizationOf(env: Environment): number | undefined {
  const text = env.VAGENT_ORG_ID;
  if (!text) return undefined;
  const organization = parseInteger(text);
  if (organization === undefined)
    throw new UsageError(`VAGENT_ORG_ID must be an integer, not ${JSON.stringify(text)}.`);
  return organization;
}

/** A key from a file or standard input, alone on its line. Throws CredentialsError. */
export async function readKeyFile(path: string, io: Io): Promise<string> {
  const bytes = await io.read(path, '--api-key-file').catch((error: unknown) => {
    if (error instanceof FileError) throw new CredentialsError(error.message, { cause: error });
    throw error;
  });
  const key = bytes.toString('utf8').trim();
  if (key === '' || /\s/.test(key)) {
    throw new CredentialsError(`${sourceName(path)} does not hold one API key and nothing else.`);
  }
  const fix = path === '-' ? undefined : commandThatCloses(path);
  if (fix !== undefined) io.warn(`${path} holds a key and can be read or changed by others: ${fix}`);
  return key;
}
