/** What came of a campaign that is over, so that nobody reads its calls again to list it. Counts alone: it holds nothing about a person. */
export interface CampaignSummary {
  /** When it was seen to be over. Times are ISO 8601, UTC. */
  at: string;
  contacts: number;
  /** Contacts in each state. */
  states: Record<string, number>;
  attempts: number;
  ambiguous: number;
  first_call: string | null;
  last_call: string | null;
}

/** Undefined if there is none, or it cannot be read: it only saves time. */
export function summaryIn(json: string | undefined): CampaignSummary | undefined {
  try {
    const summary = JSON.parse(json ?? '') as Partial<CampaignSummary>;
    const { states, attempts, at, first_call, last_call } = summary;
    const isSound = typeof states === 'object' && states !== null && typeof attempts === 'number';
    const areTimes = [at, first_call ?? at, last_call ?? at].every((time) => !Number.isNaN(Date.parse(String(time))));
    return isSound && areTimes ? (summary as CampaignSummary) : undefined;
  } catch {
    return undefined;
  }
}
