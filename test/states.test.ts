/**
 * In every command of one campaign or plan the states of its contacts are the same, and what the raw log and the contacts say: in
 * random worlds, on the local engine and over HTTP.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONTACT_STATES } from '../src/contract.ts';
import { EPOCH } from './support/engine.ts';
import { howMany } from './support/full-matrix.ts';
import { Operator, ROOT } from './support/program.ts';
import { callsOf, type Row, rowsOf } from './support/told-states/oracle.ts';
import { saidOf, wordOf } from './support/told-states/said.ts';
import { type Played, type Sent, ToldWorld } from './support/told-states/world.ts';

const WORLDS = howMany(2, 100);
const PATIENCE = 1_800_000;
const FIRST = Number(process.env.VAGENT_TEST_SEED ?? 1);

describe('words for states and results', async () => {
  const operator = new Operator({ frozenAt: new Date(EPOCH).toISOString() });
  const who = ['--agent', '1', '--from', '+14155550100', '--contacts', join(ROOT, 'samples/contacts.csv')];
  const ask = async (noun: string, ...flags: string[]) => {
    const { code, stdout, stderr } = await operator.run([noun, 'results', '1', '--json', ...flags]);
    const phones =
      code === 0 ? JSON.parse(stdout).contacts.map((one: { phone_number: string }) => one.phone_number) : [];
    return { code, phones, stderr };
  };
  beforeAll(async () => {
    await operator.json(['campaign', 'create', '--name', 'Spring', '--retry-attempts', '0', ...who]);
    await operator.json(['plan', 'create', '--name', 'Summer', '--window', '00:00-24:00', '--zone', 'UTC', ...who]);
    await operator.run(['local', 'advance', '--until-idle']);
  });

  test.each([
    ['campaign', '--state', 'exhausted,never_called', 'not_reached,no_result'],
    ['campaign', '--state', 'Not reached', 'not_reached'],
    ['campaign', '--state', 'no answer,Busy', 'busy,no_answer'],
    ['campaign', '--result', 'No answer,BUSY', 'busy,no_answer'],
    ['campaign', '--result', 'in_progress,voice-mail', 'voicemail'],
    ['plan', '--state', 'new,again', 'waiting'],
    ['plan', '--state', 'handed,unseen,left', 'calling,no_result,not_called'],
    ['plan', '--result', '(none)', '(none)'],
  ])('%s results %s %s is the same as %s', async (noun, flag, words, same) => {
    const found = await ask(noun, flag, words);
    expect(found.code).toBe(0);
    expect(found.phones).toEqual((await ask(noun, flag, same)).phones);
  });

  test.each([
    [
      'campaign',
      '--state',
      'calling',
      /^No contact has state calling; there are: (reached|not reached) \(\d+\), .*\.$/m,
    ],
    [
      'campaign',
      '--result',
      'voicemial',
      /^No contact has result voicemial; there are: .*completed \(\d+\).*\. Did you mean voicemail\?$/m,
    ],
    ['plan', '--state', 'reached', /^No contact has state reached; there are: waiting \(\d+\)\.$/m],
    ['plan', '--result', 'busy', /^No contact has result busy; there are: \(none\) \(\d+\)\.$/m],
  ])('%s results %s %s, which nobody has, names what there is', async (noun, flag, words, said) => {
    const { code, phones, stderr } = await ask(noun, flag, words);
    expect([code, phones]).toEqual([0, []]);
    expect(stderr).toMatch(said);
  });
});

const happened = new Map<string, number>();

/** Of a campaign or a plan, what a command says otherwise. */
async function wrong(sent: Sent, played: Played): Promise<string[]> {
  const rows = rowsOf(sent, played.facts);
  const { counts, rows: shown } = await saidOf(sent, played);
  const isSure = rows.every(({ state }) => state !== undefined);
  const calls = callsOf(sent, played.facts);
  const truth: Record<string, number> = {};
  for (const state of CONTACT_STATES) truth[state] = rows.filter((row) => row.state === state).length;
  truth.attempts = calls.filter(({ result }) => sent.noun === 'campaign' || result !== 'in_progress').length;
  truth.calls = calls.length;
  truth.talks = calls.filter(({ result }) => result === 'reached').length;
  // Where two states are right, all commands say the same one.
  const [first] = Object.entries(counts).filter(([command]) => command.includes('results'));
  const right = isSure ? truth : { ...truth, ...first?.[1] };
  for (const { state } of rows) happened.set(`${state}`, (happened.get(`${state}`) ?? 0) + 1);
  const faults = Object.entries(counts).flatMap(([command, said]) =>
    Object.entries(said).flatMap(([state, count]) =>
      count === right[state] ? [] : [`${command}: ${state} ${count}, not ${right[state]}`],
    ),
  );
  for (const [command, found] of Object.entries(shown)) {
    const said = found.map((row) => `${Object.values(row)[0]} ${wordOf(row.state)} ${wordOf(row.last_result ?? '')}`);
    const expected = rows.map((row) => textOf(row));
    if (isSure && said.sort().join('\n') !== expected.sort().join('\n'))
      faults.push(
        `${command}: ${said.filter((one) => !expected.includes(one))}, not ${expected.filter((one) => !said.includes(one))}`,
      );
  }
  return faults;
}

function textOf({ number, state, last }: Row): string {
  return `${number} ${state} ${last ?? ''}`;
}

test.each([
  ['on the local engine', false],
  ['over HTTP', true],
])(
  'states are the same in every command, and those of the log, %s',
  async (_where, isRemote) => {
    const faults: string[] = [];
    const seeds = Array.from({ length: WORLDS }, (_none, at) => FIRST + at);
    // In world 32 somebody else calls at the very instant of a plan's own call, and both are first seen while they go on.
    for (const seed of isRemote && WORLDS === 2 ? [...seeds, 32] : seeds) {
      let looks = 0;
      const world = await ToldWorld.of(seed, isRemote);
      await world.play(async (played) => {
        looks += 1;
        for (const sent of played.sent)
          for (const fault of await wrong(sent, played))
            faults.push(`world ${seed}, look ${looks}, ${sent.name}: ${fault}`);
      });
    }
    process.stdout.write(`${JSON.stringify(Object.fromEntries(happened))}\n`);
    expect(faults).toEqual([]);
  },
  PATIENCE,
);
