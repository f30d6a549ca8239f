/**
 * Roots of older formats as this program reads them. The first commit writes the newest format; until then the file stays as it is.
 *
 * Format 1 held one organization: the number of a campaign was its id, less those given before the last reset.
 */
import * as z from 'zod/mini';
import { FIRST_AGENT_ID } from '../../engine/state.ts';

const count = z.int().check(z.minimum(0));

/** What the newest format has in another place or not at all; the rest is the same. */
const rootOfFormat1 = z.looseObject({
  state: z.looseObject({
    organization: z.looseObject({}),
    campaigns: z.array(z.looseObject({ campaign_id: count })),
    next_campaign_id: count,
    given_before_reset: z._default(z.object({ calls: count, campaigns: count }), { calls: 0, campaigns: 0 }),
  }),
});

const fromFormat1 = z.pipe(
  rootOfFormat1,
  z.transform(({ state: { given_before_reset: given, ...state }, ...root }) => ({
    ...root,
    format: 2,
    state: {
      ...state,
      organization: { ...state.organization, demo_agent_id: FIRST_AGENT_ID },
      campaigns: state.campaigns.map((one) => ({ ...one, campaign_number: one.campaign_id - given.campaigns })),
      next_campaign_number: state.next_campaign_id - given.campaigns,
      calls_before_reset: given.calls,
    },
  })),
);

/** A root of the newest format, still to be checked, or what is wrong with one of an older format. */
export function upgraded(value: unknown): z.core.util.SafeParseResult<unknown> {
  const isOfFormat1 = (value as { format?: unknown } | null)?.format === 1;
  return isOfFormat1 ? fromFormat1.safeParse(value) : { success: true, data: value };
}
