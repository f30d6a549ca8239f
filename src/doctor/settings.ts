/** Checks of this machine: the program, its folders, and the settings in effect. None of them asks a service. */
import packageJson from '../../package.json' with { type: 'json' };
import type { Context } from '../context.ts';
import { InputError, UsageError } from '../errors.ts';
import { configPath, findProfile, requirePrivateConfig } from '../settings/profiles.ts';
import { changedZones, isTooOld, LOOKED_THROUGH, OWN_RELEASE } from '../text/zone-changes.ts';
import type { Check } from './check.ts';
import { registerCheck } from './register.ts';
import { requireWritableFolder } from './writable.ts';

export function settingsChecks(context: Context): Check[] {
  return [
    { name: 'versions', what: 'versions', look: versions },
    { name: 'time_zones', what: 'time zones', look: () => timeZones(context) },
    { name: 'config', what: 'config', look: () => config(context) },
    { name: 'state_folder', what: 'state folder', look: () => stateFolder(context) },
    { name: 'profile', what: 'profile', needs: ['config'], look: () => profile(context) },
    registerCheck(context),
    { name: 'base_url', what: 'base URL', needs: ['profile'], look: () => baseUrl(context) },
    { name: 'organization', what: 'organization', needs: ['base_url'], look: () => organization(context) },
  ];
}

function versions(): string {
  const { version, engines } = packageJson;
  const oldest = engines.node.replace('>=', '');
  const found = `vagent ${version}, Node.js ${process.versions.node}`;
  if (!isBefore(process.versions.node, oldest)) return found;
  throw new UsageError(`${found} is older than vagent needs.`, { hint: `Install Node.js ${oldest} or newer.` });
}

function timeZones({ systemNow }: Context): string {
  const release = `release ${OWN_RELEASE ?? 'unknown'}`;
  if (isTooOld(systemNow())) {
    throw new InputError(
      `The zone data is old (${release}), and changes of clocks are known until ${LOOKED_THROUGH.release}.`,
      {
        hint: 'Install a newer Node.js or vagent: people may be called an hour before or after their hours.',
      },
    );
  }
  const changed = changedZones(systemNow());
  if (changed.length === 0) return release;
  const zones = changed.join(', ');
  return `${release}; clocks were changed since (until ${LOOKED_THROUGH.release}), and old and new ones both count in ${zones}`;
}

function isBefore(version: string, other: string): boolean {
  const [left, right] = [version, other].map((text) => text.split('.').map(Number));
  const at = (right ?? []).findIndex((part, index) => part !== left?.[index]);
  return at !== -1 && (left?.[at] ?? 0) < (right?.[at] ?? 0);
}

function config({ settings }: Context): string {
  const configFolder = settings.configFolder();
  requirePrivateConfig(configFolder);
  const count = Object.keys(settings.config().profiles).length;
  if (count === 0) return `no profiles are kept in ${configFolder}`;
  return `${configPath(configFolder)}, ${count === 1 ? '1 profile' : `${count} profiles`}, for its owner alone`;
}

function stateFolder({ settings }: Context): string {
  const folder = settings.stateFolder();
  requireWritableFolder(folder, 'Name another with VAGENT_STATE_DIR, or give yourself the right to write it.');
  return `${folder} can be written`;
}

function profile(context: Context): string {
  const { env, flags, settings } = context;
  const name = settings.profileName();
  if (name === undefined) return 'none is in effect';
  findProfile(settings.config(), name);
  if (flags.profile !== undefined) return `${name}, named by --profile`;
  return env.VAGENT_PROFILE ? `${name}, from VAGENT_PROFILE` : `${name}, the active one`;
}

function baseUrl({ settings, flags }: Context): string {
  const target = settings.target();
  if (target.mode === 'local') return 'none: the local engine is used, and no real call is placed';
  const { protocol, href } = target.baseUrl;
  if (protocol === 'https:') return href;
  return flags.insecureHttp ? `${href}, not encrypted, as --insecure-http allows` : `${href}, within this machine`;
}

function organization(context: Context): string {
  return String(context.settings.requireOrganization());
}
