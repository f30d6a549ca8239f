/**
 * A real service for plans: the local engine over HTTP, with a clock that a test moves, faults that it chooses, and an operator
 * with a register and plans of their own.
 */

import { join } from 'node:path';
import {
  type Backend,
  type CallLogEntry,
  type Contact,
  type OperationName,
  type Service,
  serviceOf,
} from '../../src/contract.ts';
import { HALTED, ServiceError } from '../../src/errors.ts';
import type { StoredPlan } from '../../src/plans/rows/stored-plan.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import type { Register } from '../../src/register/register.ts';
import { EPOCH, serveEngine, type TestEngine, testEngine } from './engine.ts';
import { Operator, type Outcome, type RunOptions } from './program.ts';
import { registerAt, rowsAt } from './rows.ts';
import { makePlan, planAt, planDraft, planRules } from './stored-plans.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const AGENT = 1;
export const FROM = '+14155550100';

/** What the service does instead of answering; the campaign may be created all the same. */
export type Interception = (request: Record<string, unknown>, answer: () => Promise<object>) => Promise<object>;

export const refuses =
  (status: number, code = 'refused'): Interception =>
  async () => {
    throw new ServiceError(status, code, `An injected ${status}.`);
  };

/** It carries the request out, and fails afterwards. */
export const failsAfterwards: Interception = async (_request, answer) => {
  await answer();
  throw new ServiceError(500, 'server_error', 'An injected 500.');
};

/** What `vagent plan run --json` prints. */
export interface Ran {
  plan_id: number;
  state: string;
  reason: string;
  wave: { wave: number; campaign_id: number; contacts: number; from: string; start: string; last_call: string } | null;
  next: { at: string; why: string } | null;
  contacts: number;
  states: Record<string, number>;
}

export interface PlannedService {
  engine: TestEngine;
  operator: Operator;
  url: string;
  /** By operation. */
  faults: Partial<Record<OperationName, Interception>>;
  state: string;
  /** The requests of campaigns that arrived, whatever came of them. */
  sent: Record<string, unknown>[];
  plan(contacts: readonly (string | Contact)[], rules?: Partial<PlanRules>, name?: string): Promise<StoredPlan>;
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** One `plan run` that must succeed, or find that the plan is halted. */
  step(planId?: number): Promise<Ran>;
  /** Everything that was dialled, the oldest first. */
  calls(): Promise<CallLogEntry[]>;
  register(): Promise<Register>;
}

/** `register`: another place of it than the folder of the operator's. */
export async function plannedService({ seed = 1, register = '' } = {}): Promise<PlannedService> {
  const engine = testEngine({ seed });
  const faults: PlannedService['faults'] = {};
  const sent: PlannedService['sent'] = [];
  const backend: Backend = (credentials) => {
    const service = engine.backend(credentials);
    return serviceOf(async (operation, request) => {
      if (operation === 'createCampaign') sent.push(request as Record<string, unknown>);
      const answer = () => (service[operation] as (request: unknown) => Promise<object>)(request);
      const fault = faults[operation];
      return (fault === undefined ? answer() : fault(request as Record<string, unknown>, answer)) as never;
    }) as Service;
  };
  const { url } = await serveEngine({ ...engine, backend });
  const env = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key', VAGENT_REGISTER: register };
  const operator = new Operator({ env, frozenAt: new Date(EPOCH).toISOString() });
  const state = register || join(operator.home, '.local/state/vagent');
  // Side by side with other tests: nothing here depends on the working folder.
  const run = (args: readonly string[], options: RunOptions = {}) =>
    operator.run(args, { frozenAt: new Date(engine.clock.now).toISOString(), cwd: operator.home, ...options });
  return {
    engine,
    operator,
    url,
    faults,
    state,
    sent,
    run,
    async plan(people, rules = {}, plan_name = 'Spring') {
      const contacts = people.map((one) => (typeof one === 'string' ? { phone_number: one } : one));
      const draft = planDraft({ plan_name, service: url, createdAt: engine.clock.now, rules: planRules(rules) });
      const parts = {
        contacts,
        placeOf: new Uint16Array(contacts.length),
        rows: undefined,
        redact: (text: string) => text,
      };
      const rows = register === '' ? state : await rowsAt(register);
      return planAt(rows, await makePlan(rows, parts, draft));
    },
    async step(planId = 1) {
      const { code, stdout, stderr } = await run(['plan', 'run', String(planId), '--json']);
      const isHalted = ['stopped', 'waiting'].includes((JSON.parse(stdout || '{}') as Partial<Ran>).state ?? '');
      if (code !== (isHalted ? HALTED : 0)) throw new Error(`plan run exited with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    async calls() {
      const all = { from: 0, until: Number.MAX_SAFE_INTEGER, agentId: undefined };
      const { calls } = await (await engine.timeline.stored()).callPage(all, 1_000_000, 0);
      return calls.reverse();
    },
    register: () => registerAt(state, () => engine.clock.now),
  };
}

/** Numbers of whom nothing is known, and who share their beginning. */
export function numbers(count: number, first = 14155550300): string[] {
  return Array.from({ length: count }, (_none, at) => `+${first + at}`);
}

export { EPOCH };
