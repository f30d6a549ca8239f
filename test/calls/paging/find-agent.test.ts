/** What the list of agents says of one that is to call: only a certain no is an error. */
import { describe, expect, test } from 'vitest';
import { requireActiveAgent } from '../../../src/calls/paging/agents.ts';
import type { Service } from '../../../src/contract.ts';
import { InterruptedError, type Reason, ServiceError, UnavailableError } from '../../../src/errors.ts';
import { casesBeside } from '../../support/cases.ts';

interface Listed {
  /** So many others before them. */
  others?: number;
  /** Pages of 100, one after the other; the last is repeated if the service ignores the offset. */
  agents?: object[];
  total?: unknown;
  ignoresOffset?: boolean;
  /** With a status, or for a reason. */
  fails?: number | string;
}

const PAGE = 100;
const cases = casesBeside(import.meta.filename);

function serviceWith({ others = 0, agents = [], total, ignoresOffset, fails }: Listed): Service {
  const another = (at: number) => ({ agent_id: at + 10, agent_name: `A${at}`, status: 'active' });
  const all = [...Array.from({ length: others }, (_none, at) => another(at)), ...agents];
  const getAgents = async ({ offset = 0 }: { offset?: number | undefined }) => {
    if (fails === 'interrupted') throw new InterruptedError();
    if (typeof fails === 'number') throw new ServiceError(fails, 'refused', `It was refused (${fails}).`);
    const reason = { kind: fails, isTransient: true, isUntrusted: false } as unknown as Reason;
    if (fails !== undefined) throw new UnavailableError(`It is ${fails}.`, { reason });
    const from = ignoresOffset ? 0 : offset;
    return { success: true, agents: all.slice(from, from + PAGE), total };
  };
  return { getAgents } as unknown as Service;
}

describe('a yes, or a doubt', () => {
  type Yes = [what: string, listed: Listed & { name?: string; doubt?: RegExp }];
  test.each(cases<Yes>('a yes, or a doubt'))('%s', async (_what, { name, doubt, ...listed }) => {
    const look = await requireActiveAgent(3, serviceWith(listed));
    expect(look.agent?.agent_name).toBe(name);
    expect(look.doubt).toEqual(doubt === undefined ? undefined : expect.stringMatching(doubt));
  });
});

describe('a certain no', () => {
  type No = [what: string, listed: Listed & { exitCode: number; says: RegExp }];
  test.each(cases<No>('a certain no'))('%s', async (_what, { exitCode, says, ...listed }) => {
    const looked = requireActiveAgent(3, serviceWith(listed));
    await expect(looked).rejects.toMatchObject({ exitCode, message: expect.stringMatching(says) });
  });
});
