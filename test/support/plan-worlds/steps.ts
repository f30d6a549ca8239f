/** The steps of a world: what its operator does, and what goes on beside. */
import { writeFileSync } from 'node:fs';
import { exclusions } from './command-line.ts';
import { everybody, phoneOf } from './people.ts';
import { NUMBERS } from './service.ts';
import type { Stage } from './stage.ts';
import { MINUTE, type Step } from './world.ts';

/** Contacts of a campaign that is no plan. */
const LARGEST_BESIDE = 60;

export async function take(stage: Stage, step: Step): Promise<void> {
  if (!('plan' in step)) await takeBeside(stage, step);
  else if (stage.plans.length > 0) await takeWithPlan(stage, step, step.plan % stage.plans.length);
  await stage.wait(step.pause);
}

async function takeWithPlan(stage: Stage, step: Extract<Step, { plan: number }>, plan: number): Promise<void> {
  switch (step.do) {
    case 'run':
      return stage.run(plan, step.fault);
    case 'run on':
      return stage.run(plan, step.fault, ...(stage.world.isLocal ? ['--advance'] : []));
    case 'two runs':
      return stage.together(plan, ['run', 'run']);
    case 'stop while it runs':
      return stage.together(plan, ['run', 'stop']);
    default:
      return stage.control(step.do, plan);
  }
}

async function takeBeside(stage: Stage, step: Exclude<Step, { plan: number }>): Promise<void> {
  if (step.do === 'campaign') return createCampaign(stage, step);
  const all = everybody(stage.world);
  const phone = phoneOf(all[step.person % all.length] as (typeof all)[number]);
  if (step.do === 'exclude') return stage.exclude(phone);
  // The local engine has no register: its own log knows of every call.
  if (step.do === 'foreign call' || stage.world.isLocal) return stage.service.callFromOutside(phone);
  const args = ['call', phone, '--agent', '1', '--from', NUMBERS[0] as string, '--first-line', 'Hello', '--yes'];
  await stage.command([[...args, ...(step.isForced ? ['--force'] : [])]]);
}

async function createCampaign(stage: Stage, step: Extract<Step, { do: 'campaign' }>): Promise<void> {
  const phones = everybody(stage.world)
    .filter((_person, at) => at % step.every === 0)
    .slice(0, LARGEST_BESIDE)
    .map(phoneOf);
  const file = `${exclusions(stage.home)}.campaign.csv`;
  writeFileSync(file, ['phone_number', ...new Set(phones), ''].join('\n'));
  const start = new Date(stage.clock.now + step.startsIn * MINUTE).toISOString();
  await stage.command([
    [
      ...['campaign', 'create', '--name', 'Beside', '--agent', '1', '--from', NUMBERS[0] as string],
      ...['--contacts', file, '--calls-per-hour', '600', '--yes', '--json'],
      ...(stage.world.isLocal ? [] : ['--again', '--force']),
      ...['--retry-attempts', String(step.retries), '--retry-delay', String(step.retryDelay)],
      ...(step.startsIn === 0 ? [] : ['--start', start]),
    ],
  ]);
}
