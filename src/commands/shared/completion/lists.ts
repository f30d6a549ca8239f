/** Candidates from what a service answers, or the local engine holds. Items without a usable value are left out. Pure. */
import type { Candidate } from './cache.ts';

type Item = Readonly<Record<string, unknown>>;

export function agentCandidates(agents: readonly Item[]): Candidate[] {
  return listed(agents, 'agent_id', ({ agent_name, status }) => [
    words(agent_name),
    ...(status === 'active' ? [] : [`(${words(status)})`]),
  ]);
}

export function voiceCandidates(voices: readonly Item[]): Candidate[] {
  return listed(voices, 'voice_id', ({ voice_name, language_name, gender, accent, style }) => [
    `${words(voice_name)},`,
    ...[language_name, gender, accent, style].map(words),
  ]);
}

export function languageCandidates(voices: readonly Item[]): Candidate[] {
  return distinct(listed(voices, 'language', ({ language_name }) => [words(language_name)]));
}

export function callCandidates(calls: readonly Item[]): Candidate[] {
  return listed(calls, 'call_id', ({ timestamp, called_to, call_status }) => [
    words(timestamp).slice(0, 16).replace('T', ' '),
    words(called_to),
    words(call_status),
  ]);
}

export function outcomeCandidates(calls: readonly Item[]): Candidate[] {
  return distinct(listed(calls, 'call_outcome', () => []));
}

export function campaignCandidates(campaigns: readonly Item[]): Candidate[] {
  return listed(campaigns, 'campaign_id', ({ campaign_name, status }) => [words(campaign_name), words(status)]);
}

export function numberCandidates(numbers: readonly unknown[]): Candidate[] {
  return distinct(
    listed(
      numbers.map((number) => ({ number })),
      'number',
      () => [],
    ),
  );
}

function listed(items: readonly Item[], id: string, about: (item: Item) => string[]): Candidate[] {
  return items.flatMap((item) => {
    const value = item[id];
    if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return [];
    return [
      {
        value: String(value),
        about: about(item)
          .filter((part) => part !== '')
          .join(' '),
      },
    ];
  });
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.value, candidate])).values()];
}
