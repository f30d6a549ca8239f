/** What the list of agents says of one that is to call: only a certain no is an error. */
import { describe, expect, test } from 'vitest';
import { lookUpAgent } from '../../src/calls/paging/agents.ts';
import type { Agent, Service } from '../../src/contract.ts';
import { InterruptedError, ServiceError, UnavailableError } from '../../src/errors.ts';

interface Listed {
  /** Pages of 100, one after the other; the last is repeated if the service ignores the offset. */
  agents?: object[];
  total?: unknown;
  ignoresOffset?: boolean;
  fails?: Error;
}

const PAGE = 100;
const ana = (status?: unknown, agent_id: unknown = 3) => ({ agent_id, agent_name: 'Ana', status });
const others = (count: number) =>
  Array.from({ length: count }, (_none, at) => ({ agent_id: at + 10, agent_name: `A${at}`, status: 'active' }));

function serviceWith({ agents = [], total, ignoresOffset, fails }: Listed): Service {
  const getAgents = async ({ offset = 0 }: { offset?: number | undefined }) => {
    if (fails !== undefined) throw fails;
    const from = ignoresOffset ? 0 : offset;
    return { success: true, agents: agents.slice(from, from + PAGE) as Agent[], total };
  };
  return { getAgents } as unknown as Service;
}

const unanswered = (message: string) =>
  new UnavailableError(message, { reason: { kind: 'unanswered', isTransient: true } });
const refused = (status: number) => new ServiceError(status, 'refused', `It was refused (${status}).`);

describe('a yes, or a doubt', () => {
  const cases: Record<string, Listed & { name?: string; doubt?: RegExp }> = {
    active: { agents: [ana('active')], total: 1, name: 'Ana' },
    Active: { agents: [ana('Active')], total: 1, name: 'Ana' },
    'active, on the second page': { agents: [...others(100), ana('active')], total: 101, name: 'Ana' },
    'active, in a list without a count': { agents: [ana('active')], name: 'Ana' },
    'no status': { agents: [ana()], total: 1, name: 'Ana', doubt: /^the service does not say whether agent 3 is/ },
    'a status that nobody documented': {
      agents: [ana('retired')],
      total: 1,
      name: 'Ana',
      doubt: /^agent 3 is retired:/,
    },
    'a list that is not shown whole': { agents: others(100), total: 150, doubt: /100 of its 150 agents\.$/ },
    'a list that ignores the offset': { agents: others(100), ignoresOffset: true, doubt: /how many agents there are/ },
    'ids that cannot be read': { agents: [ana('paused', 'agent-3')], total: 1, doubt: /agent_id cannot be read/ },
    'no answer': { fails: unanswered('It failed (500).'), doubt: /^agent 3 was not looked up: It failed \(500\)\.$/ },
    'a redirect': {
      fails: new UnavailableError('It was redirected.', { reason: { kind: 'redirected' } }),
      doubt: /^agent 3 was not looked up: It was redirected\.$/,
    },
    ...Object.fromEntries(
      [400, 402, 403, 404, 405, 410, 429, 500, 501, 503].map((status) => [
        String(status),
        { fails: refused(status), doubt: new RegExp(`^agent 3 was not looked up: .*${status}`) },
      ]),
    ),
  };
  for (const [what, { name, doubt, ...listed }] of Object.entries(cases)) {
    test(what, async () => {
      const look = await lookUpAgent(3, serviceWith(listed));
      expect(look.agent?.agent_name).toBe(name);
      if (doubt === undefined) expect(look.doubt).toBeUndefined();
      else expect(look.doubt).toMatch(doubt);
    });
  }
});

describe('a certain no', () => {
  const cases: Record<string, Listed & { exitCode: number; says: RegExp }> = {
    'a whole list without it': { agents: others(100), total: 100, exitCode: 5, says: /^Agent 3 does not exist/ },
    'no agents at all': { agents: [], total: 0, exitCode: 5, says: /does not exist/ },
    'a list without a count, to its empty end': { agents: others(150), exitCode: 5, says: /does not exist/ },
    paused: { agents: [ana('paused')], total: 1, exitCode: 3, says: /^Agent 3 Ana is paused, not active/ },
    Paused: { agents: [ana('Paused')], total: 1, exitCode: 3, says: /^Agent 3 Ana is Paused, not active/ },
    draft: { agents: [ana('draft')], total: 1, exitCode: 3, says: /is draft, not active/ },
    401: { fails: refused(401), exitCode: 4, says: /401/ },
    'nothing can be reached': {
      fails: new UnavailableError('Cannot reach it.', { reason: { kind: 'unreachable', isUntrusted: false } }),
      exitCode: 7,
      says: /Cannot reach it/,
    },
    'an interrupt': { fails: new InterruptedError(), exitCode: 130, says: /Interrupted/ },
  };
  for (const [what, { exitCode, says, ...listed }] of Object.entries(cases)) {
    test(what, async () => {
      const looked = lookUpAgent(3, serviceWith(listed));
      await expect(looked).rejects.toMatchObject({ exitCode, message: expect.stringMatching(says) });
    });
  }
});
