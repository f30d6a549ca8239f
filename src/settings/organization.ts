/** The organization for which requests are made. */
import { FIRST_ORGANIZATION, parseInteger } from '../contract.ts';
import { UsageError } from '../errors.ts';
import type { GlobalFlags } from '../flags/global.ts';
import type { Environment } from './folders.ts';
import type { Profile } from './profiles.ts';
import { byRank, type Target } from './target.ts';

/** The environment variable applies to remote services only. `profile` is the one that belongs to the target. */
export function resolveOrganization(
  flags: GlobalFlags,
  env: Environment,
  profile: Profile | undefined,
  target: Target,
): number | undefined {
  if (target.mode === 'local') return localOrganization(flags, profile);
  return flags.org ?? byRank(flags, organizationOf(env), profile?.organization_id);
}

/** The one of the local engine, whatever the target. */
export function localOrganization(flags: GlobalFlags, profile: Profile | undefined): number {
  const own = profile?.mode === 'local' ? profile.organization_id : undefined;
  return flags.org ?? own ?? FIRST_ORGANIZATION;
}

function organizationOf(env: Environment): number | undefined {
  const text = env.VAGENT_ORG_ID;
  if (!text) return undefined;
  const organization = parseInteger(text);
  if (organization === undefined)
    throw new UsageError(`VAGENT_ORG_ID must be an integer, not ${JSON.stringify(text)}.`);
  return organization;
}
