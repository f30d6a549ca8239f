/**
 * Roots of older formats as this program reads them. The first commit writes the newest format; until then the file stays as it is.
 *
 * Format 1 held one organization: the number of a campaign was its id, less those given before the last reset.
 */
interface RootOfFormat1 {
  format: number;
  state: {
    organization: object;
    campaigns: { campaign_id: number }[];
    next_campaign_id: number;
    given_before_reset?: { calls: number; campaigns: number };
  };
}

const DEMO_AGENT_ID = 1;

/** A root of the newest format, or what was given if it is none of an older one: whoever reads it then says what is wrong. */
export function upgraded(value: unknown): unknown {
  if ((value as { format?: unknown } | null)?.format !== 1) return value;
  try {
    const root = value as RootOfFormat1;
    const { given_before_reset: given = { calls: 0, campaigns: 0 }, ...state } = root.state;
    const numberOf = (id: number) => id - given.campaigns;
    return {
      ...root,
      format: 2,
      state: {
        ...state,
        organization: { ...state.organization, demo_agent_id: DEMO_AGENT_ID },
        campaigns: state.campaigns.map((one) => ({ ...one, campaign_number: numberOf(one.campaign_id) })),
        next_campaign_number: numberOf(state.next_campaign_id),
        calls_before_reset: given.calls,
      },
    };
  } catch {
    return value;
  }
}
