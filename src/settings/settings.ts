/** Which service to use, and with which credentials: flag > environment > active profile > default. */
import { join } from 'node:path';
import type { Credentials } from '../contract.ts';
import { CredentialsError, FileError } from '../errors.ts';
import { storeKey, storeName } from '../files/store-place.ts';
import type { GlobalFlags } from '../flags/global.ts';
import type { Io } from '../terminal/io.ts';
import { configFolder, type Environment, NO_HOME, stateFolder } from './folders.ts';
import { type FoundKey, resolveKey } from './key.ts';
import { localOrganization, resolveOrganization } from './organization.ts';
import { chosenPlace, oddPlaces } from './places.ts';
import { type Config, findProfile, type Profile, readConfig } from './profiles.ts';
import { ownProfile, resolveTarget, type Target } from './target.ts';

/**
 * The settings in effect. Each is looked up when it is first used, and throws if it cannot be found: commands that use no
 * service work even if the settings of one are wrong.
 */
export interface Settings {
  configFolder(): string;
  stateFolder(): string;
  /** All profiles. */
  config(): Config;
  /** The name of the profile in effect, whether or not it exists. */
  profileName(): string | undefined;
  profile(): Profile | undefined;
  /** The profile in effect, if it belongs to the chosen service. */
  ownProfile(): Profile | undefined;
  target(): Target;
  isRemote(): boolean;
  /** The local engine's store, a folder or the address of a database, whatever the target: `vagent local` always uses it. */
  store(): string;
  /** The same text for the same store, whatever the working folder. */
  storeKey(): string;
  /** Where the register and the plans are: a folder, or the address of a database. */
  register(): string;
  organization(): number | undefined;
  /** The organization of the local engine, whatever the target. */
  localOrganization(): number;
  /** Throws CredentialsError if no organization is set. */
  requireOrganization(): number;
  /** The key and its origin. It is looked up only once. */
  key(): Promise<FoundKey>;
  credentials(): Promise<Credentials>;
}

export interface SettingsParts {
  /** Those of the command line, as far as it has been parsed. */
  flags: () => GlobalFlags;
  env: Environment;
  io: Io;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
}

export function settingsOf({ flags, env, io, signal }: SettingsParts): Settings {
  let config: Config | undefined;
  let key: Promise<FoundKey> | undefined;
  const placeOf = (what: 'store' | 'register', profile: Profile | undefined) =>
    chosenPlace(what, flags(), env, profile);
  const settings: Settings = {
    configFolder: () => configFolder(env),
    stateFolder: () => stateFolder(env),
    config() {
      if (config === undefined) {
        config = readProfiles(env);
        for (const { api_key } of Object.values(config.profiles)) if (api_key) io.redactor.add(api_key);
        for (const place of oddPlaces(config)) io.redactor.add(place);
      }
      return config;
    },
    profileName: () => flags().profile ?? (env.VAGENT_PROFILE || settings.config().active),
    profile() {
      const name = settings.profileName();
      return name === undefined ? undefined : findProfile(settings.config(), name);
    },
    ownProfile: () => ownProfile(settings.profile(), settings.target()),
    target: () => resolveTarget(flags(), env, settings.profile()),
    isRemote: () => settings.target().mode === 'remote',
    store() {
      // First, so that a profile that does not exist is always an error.
      const profile = settings.profile();
      return placeOf('store', profile) ?? join(stateFolder(env), 'store');
    },
    storeKey: () => storeKey(settings.store()),
    register() {
      const profile = settings.profile();
      return placeOf('register', profile) ?? stateFolder(env);
    },
    organization: () => resolveOrganization(flags(), env, settings.ownProfile(), settings.target()),
    localOrganization: () => localOrganization(flags(), settings.profile()),
    requireOrganization() {
      const organization = settings.organization();
      if (organization !== undefined) return organization;
      throw new CredentialsError('No organization is set for this service.', {
        hint: 'Name it with --org, VAGENT_ORG_ID or a profile (vagent profile add).',
      });
    },
    key() {
      const [profile, profileName, target] = [settings.profile(), settings.profileName(), settings.target()];
      const organizationId = settings.localOrganization();
      key ??= resolveKey({ flags: flags(), env, profile, profileName, organizationId, target, io, signal });
      return key;
    },
    async credentials() {
      const found = await settings.key();
      return { organization_id: settings.requireOrganization(), api_key: found.key };
    },
  };
  return settings;
}

function readProfiles(env: Environment): Config {
  try {
    return readConfig(configFolder(env));
  } catch (error) {
    // A user without a place for profiles has none, and commands that need no such place still work.
    if (error instanceof FileError && error.code === NO_HOME) return { profiles: {} };
    throw error;
  }
}

/** Names the profile in effect if there are several and none was chosen: a sentence for the operator. */
export function profileNotice(settings: Settings, flags: GlobalFlags): string | undefined {
  if (flags.profile !== undefined || Object.keys(settings.config().profiles).length < 2) return undefined;
  if (settings.ownProfile() === undefined) return undefined;
  const target = settings.target();
  const where =
    target.mode === 'remote'
      ? `${target.baseUrl.host}, organization ${settings.organization() ?? 'unknown'}`
      : `local engine, ${storeName(settings.store())}`;
  return `Profile ${settings.profileName()}: ${where}.`;
}
