import { fieldsIn, parsed } from '../text/parsed.ts';

/**
 * What came of a campaign that is over, so that nobody reads its calls again to list it. Counts alone: it holds nothing
 * about a person.
 */
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
  const summary = fieldsIn(parsed(json));
  const { states, attempts, at, first_call, last_call } = summary ?? {};
  const isSound = fieldsIn(states) !== undefined && typeof attempts === 'number';
  const areTimes = [at, first_call ?? at, last_call ?? at].every((time) => !Number.isNaN(Date.parse(String(time))));
  return isSound && areTimes ? (summary as unknown as CampaignSummary) : undefined;
}
