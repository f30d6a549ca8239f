/** A voicemail is not reached, wherever the same campaign of the local engine is counted. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EPOCH } from '../../support/engine.ts';
import { Operator, ROOT } from '../../support/program.ts';

interface Counts {
  reached?: number | undefined;
  not_reached?: number | undefined;
}

interface Standing {
  reached?: number;
  states: Counts;
  voicemail?: number;
}

interface Listed {
  campaigns: Standing[];
}

const WHO = ['--agent', '1', '--from', '+14155550100', '--contacts', join(ROOT, 'samples/contacts.csv')];
const ROOT_OF_STORE = '.local/state/vagent/store/store.json';
const ADVANCE = ['local', 'advance'];
const frozenAt = new Date(EPOCH).toISOString();

/** What the campaign is created with, and then done. */
const cases: Record<string, { flags: string[]; steps: string[][]; isOfOlder?: true }> = {
  'before its first call': { flags: ['--start', '+2d'], steps: [] },
  'while it calls': {
    flags: ['--calls-per-hour', '60', '--retry-attempts', '3'],
    steps: [[...ADVANCE, '23m']],
  },
  'paused, and resumed': {
    flags: ['--calls-per-hour', '60', '--retry-attempts', '3'],
    steps: [
      [...ADVANCE, '9m'],
      ['local', 'campaign', 'pause', '1'],
      ['local', 'campaign', 'resume', '1'],
      [...ADVANCE, '9m'],
    ],
  },
  'at its end, without retries': { flags: ['--retry-attempts', '0'], steps: [[...ADVANCE, '--until-idle']] },
  'at its end, with retries': { flags: ['--retry-attempts', '3'], steps: [[...ADVANCE, '--until-idle']] },
  'begun by a vagent that did not tell the two apart': {
    flags: ['--retry-attempts', '3'],
    steps: [
      [...ADVANCE, '9m'],
      [...ADVANCE, '--until-idle'],
    ],
    isOfOlder: true,
  },
};

/** The field of its own says the same as the states. */
const countsOf = ({ states, reached = states.reached }: Standing = { states: {} }) => ({
  reached,
  not_reached: states.not_reached,
});

interface Call {
  call_status: string;
  call_outcome: string;
}

const isTalk = ({ call_status, call_outcome }: Call) =>
  call_status === 'completed' && call_outcome !== 'voicemail_left';

/** What each command says of the one campaign. */
async function saidOf(operator: Operator): Promise<Record<string, Counts>> {
  const listed = async (...args: string[]) => countsOf((await operator.json<Listed>(args)).campaigns[0]);
  const { contacts } = await operator.json<{ contacts: { state: string }[] }>(['campaign', 'results', '1']);
  const { calls } = await operator.json<{ calls: Call[] }>(['logs', 'list', '--all']);
  const count = (wanted: string) => contacts.filter(({ state }) => state === wanted).length;
  const look = new AbortController();
  const watched = await operator.run(['campaign', 'watch', '1', '-o', 'ndjson'], {
    signal: look.signal,
    hears: (_text, stream) => stream === 'stdout' && look.abort(),
  });
  return {
    'campaign list': await listed('campaign', 'list'),
    'local campaign list': await listed('local', 'campaign', 'list'),
    'local status': await listed('local', 'status'),
    'campaign status': countsOf(await operator.json(['campaign', 'status', '1'])),
    'campaign watch': countsOf(JSON.parse(watched.stdout.split('\n')[0] ?? '')),
    'campaign results': { reached: count('reached'), not_reached: count('not_reached') },
    'the log itself': { reached: calls.filter(isTalk).length, not_reached: count('not_reached') },
  };
}

/** As an older vagent has left it. */
function forgetVoicemails({ home }: Operator): void {
  const path = join(home, ROOT_OF_STORE);
  const root = JSON.parse(readFileSync(path, 'utf8')) as { state: { campaigns: { voicemail?: number }[] } };
  for (const campaign of root.state.campaigns) delete campaign.voicemail;
  writeFileSync(path, JSON.stringify(root));
}

test.each(Object.entries(cases))('%s', async (_name, { flags, steps, isOfOlder }) => {
  const operator = new Operator({ frozenAt });
  const created = await operator.run(['campaign', 'create', '--name', 'Spring', ...WHO, ...flags]);
  expect(created).toMatchObject({ code: 0 });
  for (const step of steps) {
    if (isOfOlder) forgetVoicemails(operator);
    expect(await operator.run(step)).toMatchObject({ code: 0 });
  }
  const said = await saidOf(operator);
  const { 'campaign results': right } = said;
  expect(right?.not_reached).toBeGreaterThanOrEqual(steps.length === 0 ? 0 : 1);
  expect(said).toEqual(Object.fromEntries(Object.keys(said).map((command) => [command, right])));
});
