/** Checks of this machine: the program, its folders, the settings in effect, and the way to a service. None of them asks it. */
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { Context } from '../context.ts';
import { FileError, InputError, UsageError } from '../errors.ts';
import { configPath, findProfile, requirePrivateConfig } from '../settings/profiles.ts';
import { everyInWords } from '../settings/timers/written.ts';
import { withFileErrors } from '../storage/files/file-system.ts';
import { counted } from '../text/numbers.ts';
import { changedZones, isTooOld, LOOKED_THROUGH, OWN_RELEASE } from '../text/zone-changes.ts';
import { NONE_IS_SET, profileEdit } from './asked.ts';

export function versions(): string {
  const { version, engines } = packageJson;
  const oldest = engines.node.replace('>=', '');
  const found = `vagent ${version}, Node.js ${process.versions.node}`;
  if (process.versions.node.localeCompare(oldest, 'en', { numeric: true }) >= 0) return found;
  throw new UsageError(`${found} is older than vagent needs.`, { hint: `Install Node.js ${oldest} or newer.` });
}

export function timeZones({ clock }: Context): string {
  const release = `release ${OWN_RELEASE ?? 'unknown'}`;
  if (isTooOld(clock.system())) {
    const sentence = `The zone data is old (${release}), and changes of clocks are known until ${LOOKED_THROUGH.release}.`;
    throw new InputError(sentence, {
      hint: 'Install a newer Node.js or vagent: people may be called an hour before or after their hours.',
    });
  }
  const changed = changedZones(clock.system());
  if (changed.length === 0) return release;
  const zones = changed.join(', ');
  return `${release}; clocks were changed since (until ${LOOKED_THROUGH.release}), and old and new ones both count in ${zones}`;
}

export function config({ settings }: Context): string {
  const configFolder = settings.configFolder();
  requirePrivateConfig(configFolder);
  const count = Object.keys(settings.config().profiles).length;
  if (count === 0) return `no profiles are kept in ${configFolder}`;
  return `${configPath(configFolder)}, ${counted(count, 'profile')}, for its owner alone`;
}

/** Those of this operator, whoever's register. */
export async function timers({ settings, signal }: Context): Promise<string> {
  const { timersFound } = await import('../settings/timers/timers.ts');
  const found = await timersFound({ env: settings.env, signal, platform: process.platform });
  if (found.length === 0) return 'none';
  return found
    .map(
      ({ planId, minutes, system }) =>
        `plan ${planId} ${minutes === undefined ? '' : `${everyInWords(minutes)} `}by ${system}`,
    )
    .join(', ');
}

export function stateFolder({ settings }: Context): string {
  const folder = settings.stateFolder();
  requireWritableFolder(folder, 'Name another with VAGENT_STATE_DIR, or give yourself the right to write it.');
  return `${folder} can be written`;
}

export function profile(context: Context): string {
  const { settings, flags } = context;
  const name = settings.profileName();
  if (name === undefined) return 'none is in effect';
  findProfile(settings.config(), name);
  if (flags.profile !== undefined) return `${name}, named by --profile`;
  return settings.env.VAGENT_PROFILE ? `${name}, from VAGENT_PROFILE` : `${name}, the active one`;
}

export async function country(context: Context): Promise<string> {
  const code = context.settings.profile()?.country;
  if (code === undefined) return NONE_IS_SET;
  const { isCountry } = await import('../contacts/numbers/phone-cell.ts');
  if (isCountry(code)) return code;
  throw new UsageError(`${code} is not the ISO code of a country.`, { hint: profileEdit(context, '--country DE') });
}

export function baseUrl({ settings, flags }: Context): string {
  const target = settings.target();
  if (target.mode === 'local') return 'none: the simulator is used, and no real call is placed';
  const { protocol, href } = target.baseUrl;
  if (protocol === 'https:') return href;
  return flags.insecureHttp ? `${href}, not encrypted, as --insecure-http allows` : `${href}, within this machine`;
}

export function organization({ settings }: Context): string {
  return String(settings.requireOrganization());
}

/** Shows only the host of the proxy, because the variable may contain a user name and a password. */
export async function proxy(context: Context): Promise<string> {
  const target = context.settings.target();
  const used = target.mode === 'remote' ? await context.services.proxyFor(target.baseUrl) : undefined;
  return used === undefined ? 'none' : `${used.url.host}, from ${used.variable}`;
}

export function certificates(context: Context): string {
  const path = context.settings.env.NODE_EXTRA_CA_CERTS || undefined;
  if (path === undefined) return 'those of Node.js';
  const hint =
    'Set NODE_EXTRA_CA_CERTS to a PEM file of certificates, or unset it: Node.js ignores a file that it cannot read.';
  const text = withFileErrors('read', path, () => readFileSync(path, 'latin1'), hint);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new FileError(`${path} holds no certificate.`, { hint });
  return `those of ${path} too`;
}

/** Checks a folder, or, if it does not exist yet, the folder above it in which it will be created. */
export function requireWritableFolder(folder: string, hint: string): void {
  const look = () => {
    let standing = resolve(folder);
    while (statSync(standing, { throwIfNoEntry: false }) === undefined) standing = dirname(standing);
    if (!statSync(standing).isDirectory()) throw new FileError(`${standing} is a file, not a folder.`, { hint });
    accessSync(standing, constants.W_OK | constants.X_OK);
  };
  withFileErrors('write', folder, look, hint);
}
