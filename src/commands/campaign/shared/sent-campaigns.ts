/** Campaigns as the register lists them: one that was sent in parts is one. */
import { isUnknown, type Past, type SentCampaign } from '../../../register/requests.ts';

export interface SentAsOne extends Past<SentCampaign> {
  /** In all parts. */
  contacts: number;
  /** Whether any part may not exist. */
  isUncertain: boolean;
}

/** In the order in which they are given. */
export function asOne(campaigns: readonly Past<SentCampaign>[]): SentAsOne[] {
  const entries = new Set(campaigns.map(({ sent }) => sent.entry));
  const isFirst = ({ sent: { part_of } }: Past<SentCampaign>) => part_of === undefined || !entries.has(part_of);
  const others = new Map<number | undefined, Past<SentCampaign>[]>();
  for (const one of campaigns) {
    if (!isFirst(one)) others.set(one.sent.part_of, [...(others.get(one.sent.part_of) ?? []), one]);
  }
  return campaigns.filter(isFirst).map((first) => {
    const parts = [first, ...(others.get(first.sent.entry) ?? [])];
    const contacts = parts.reduce((sum, { sent }) => sum + sent.contacts.count, 0);
    return { ...first, contacts, isUncertain: parts.some(isUnknown) };
  });
}
