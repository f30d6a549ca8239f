/** Where requests go: to a service at a base URL, or to the local engine. */

import type { GlobalFlags } from '../cli/flags/global.ts';
import { UsageError } from '../errors.ts';
import { parseBaseUrl, readUrl } from '../text/url.ts';
import type { Environment } from './folders.ts';
import type { Profile } from './profiles.ts';

/** `name` is the base URL as written in the register; `isChosen` says whether the local engine was chosen explicitly. */
export type Target = { mode: 'remote'; baseUrl: URL; name: string } | { mode: 'local'; isChosen: boolean };

/** A profile named on the command line takes precedence over the environment; the active one does not. */
export function byRank<T>(
  flags: GlobalFlags,
  fromEnvironment: T | undefined,
  fromProfile: T | undefined,
): T | undefined {
  const environment = fromEnvironment === '' ? undefined : fromEnvironment;
  return flags.profile === undefined ? (environment ?? fromProfile) : (fromProfile ?? environment);
}

/** Throws UsageError if flags contradict each other, or a URL cannot be used. */
export function resolveTarget(flags: GlobalFlags, env: Environment, profile: Profile | undefined): Target {
  if (flags.local === true && flags.baseUrl !== undefined) {
    throw new UsageError('--local and --base-url cannot be used together.');
  }
  const local = { mode: 'local' as const, isChosen: true };
  if (flags.local === true) return local;
  if (flags.baseUrl !== undefined) return remote(flags.baseUrl, flags);

  const fromEnvironment = env.VAGENT_LOCAL === '1' ? local : fromBaseUrl(env.VAGENT_BASE_URL, 'VAGENT_BASE_URL', flags);
  const fromProfile =
    profile?.mode === 'local' ? local : fromBaseUrl(profile?.base_url, 'The base URL of the profile', flags);
  return byRank(flags, fromEnvironment, fromProfile) ?? { mode: 'local', isChosen: false };
}

/**
 * The profile, if its own service is the target. Its credentials belong to that service: they are never sent to another base
 * URL.
 */
export function ownProfile(profile: Profile | undefined, target: Target): Profile | undefined {
  if (profile === undefined) return undefined;
  if (target.mode === 'local') return profile.mode === 'local' ? profile : undefined;
  const own = readUrl(profile.base_url ?? '');
  return own !== undefined && serviceName(own) === target.name ? profile : undefined;
}

function fromBaseUrl(text: string | undefined, source: string, flags: GlobalFlags): Target | undefined {
  return text ? remote(parseBaseUrl(text, source), flags) : undefined;
}

function remote(baseUrl: URL, flags: GlobalFlags): Target {
  requireEncryption(baseUrl, flags);
  return { mode: 'remote', baseUrl, name: serviceName(baseUrl) };
}

/** The base URL without slashes at the end, so that one service has one name. */
function serviceName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Every request carries the key, so plain http is allowed only to this machine. */
export function requireEncryption(baseUrl: URL, { insecureHttp }: GlobalFlags): void {
  if (baseUrl.protocol === 'http:' && !LOOPBACK.test(baseUrl.hostname) && insecureHttp !== true) {
    throw new UsageError(`${baseUrl.origin} is not encrypted, and every request carries the API key.`, {
      hint: 'Use https://, or give --insecure-http if you accept that.',
    });
  }
}
