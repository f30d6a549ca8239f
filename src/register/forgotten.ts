/** What is left of a request when it has been forgotten: that it was sent, when, by whom and with what outcome; nobody's number. */
import type { EndedLine, Line, SentCampaign, SentLine } from './lines.ts';

/** Fields of a campaign that say nothing of the people it called. */
const REQUEST = [
  'campaign_name',
  'agent_id',
  'call_from',
  'start_time',
  'calls_per_hour',
  'retry_attempts',
  'retry_delay',
];
/** The same of its answer. That of a call may have the number in any of its names. */
const ANSWER = ['success', 'campaign_id', 'campaign_name', 'status', 'total_contacts', 'code'];

/** `at` is when it is forgotten, ISO 8601 in UTC. */
export function forgottenLine(line: Line, at: string): Line {
  return line.event === 'sent' ? forgottenRequest(line, at) : forgottenAnswer(line);
}

function forgottenRequest(sent: SentLine, forgotten: string): SentLine {
  const { entry, at, by, service, organization_id } = sent;
  const common = { entry, event: 'sent', at, by, service, organization_id, forgotten } as const;
  if (sent.operation === 'triggerCall') {
    const { use_agent_id, call_from } = sent.request;
    const request = { use_agent_id, called_to: '', call_from, custom_first_line: '', custom_identifiers: '' };
    return { ...common, operation: 'triggerCall', request };
  }
  const { count, file } = sent.contacts;
  return {
    ...common,
    operation: 'createCampaign',
    ...(sent.part_of === undefined ? {} : { part_of: sent.part_of }),
    ...(sent.plan === undefined ? {} : { plan: sent.plan }),
    request: only(sent.request, REQUEST) as SentCampaign['request'],
    // The hash of a few numbers would give them away.
    contacts: { count, numbers_sha256: '', ...(file === undefined ? {} : { file }) },
  };
}

function forgottenAnswer({ entry, event, at, outcome, answer, clock_ahead }: EndedLine): EndedLine {
  const left = { entry, event, at, outcome, answer: only(answer, ANSWER) };
  return clock_ahead === undefined ? left : { ...left, clock_ahead };
}

/** Some fields, if they are simple values. */
function only(fields: object | undefined, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).filter(([name, value]) => names.includes(name) && typeof value !== 'object'),
  );
}
