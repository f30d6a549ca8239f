/** The organization for which requests are made. */
import { LOCAL_CREDENTIALS, parseInteger } from '../contract.ts';
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
  if (target.mode === 'local') return flags.org ?? profile?.organization_id ?? LOCAL_CREDENTIALS.organization_id;
  return flags.org ?? byRank(flags, organizationOf(env), profile?.organization_id);
}

function organizationOf(env: Environment): number | undefined {
  const text = env.VAGENT_ORG_ID;
  if (!text) return undefined;
  const organization = parseInteger(text);
  if (organization === undefined)
    throw new UsageError(`VAGENT_ORG_ID must be an integer, not ${JSON.stringify(text)}.`);
  return organization;
}
