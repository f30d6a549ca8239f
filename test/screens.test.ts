/**
 * What a person sees: commands at terminals of 40, 80, 120 and 200 columns, compared with the files in test/screens/. After a
 * change that is meant, `npx vitest run --config test/vitest.config.ts test/screens.test.ts -u` writes them again: read each.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { casesBeside } from './support/cases.ts';
import { isTurnOf } from './support/full-matrix.ts';
import { Operator, ROOT } from './support/program.ts';
import { shownBy } from './support/screen.ts';
import { play, playHere } from './support/terminal.ts';

const WIDTHS = [40, 80, 120, 200];
const env = { VAGENT_STORE: 'store', TZ: 'Europe/Berlin' };
const operator = new Operator({ frozenAt: '2026-11-20T09:00:00Z', env });
/** The waves of a plan are campaigns of the local engine, and take time: it has one of its own. */
const ofPlans = new Operator({ frozenAt: '2026-11-20T09:00:00Z', env });
const FROM = ['--agent', '1', '--from', '+14155550100'];
const CONTACTS = ['--contacts', join(ROOT, 'samples/contacts.csv')];
const THREE_CITIES = join(ROOT, 'samples/three-cities.csv');

const AGENT = {
  agent_name: '予約デスク 🎉',
  agent_description: 'Books and moves appointments of three clinics, and says when each of them is open on holidays',
};

const MIXED = `phone;name\n+14155550101;Ann\n415 555 0102;Bob\n+14155550101;Ann again\n;nobody\n`;

beforeAll(async () => {
  const runsBy =
    (somebody: Operator) =>
    async (...args: string[]) => {
      const { code, stderr } = await somebody.run(args);
      if (code !== 0) throw new Error(`vagent ${args.join(' ')}: ${stderr}`);
    };
  const must = runsBy(operator);
  writeFileSync(join(operator.home, 'mixed.csv'), MIXED);
  await must('call', '+14155550190', ...FROM, '--first-line', 'Hello, this is Ava.', '--instruction', 'Be brief.');
  await must('campaign', 'create', '--name', 'Spring check-ups', ...FROM, ...CONTACTS, '--local');
  await must('local', 'advance', '90m');
  const agent = ['--name', AGENT.agent_name, '--description', AGENT.agent_description];
  await must('agent', 'create', ...agent, '--prompt', 'Be kind.', '--voice', '7', '--language', 'ja', '--local');
  await must('local', 'agent', '2', '--status', 'paused');
  await must('profile', 'add', 'rehearsal', '--local', '--agent', '1', '--from', '+14155550100', '--country', 'DE');
  const plan = runsBy(ofPlans);
  const window = ['--window', '09:00-20:00', '--budget', '20', '--price-per-minute', '0.10'];
  await plan('plan', 'create', THREE_CITIES, '--name', 'Winter', ...FROM, ...window, '--local');
  await plan('plan', 'run', '1', '--local');
  await plan('local', 'advance', '40m');
  await plan('plan', 'run', '1', '--local');
});

const operatorOf = (args: readonly string[]) => (args[0] === 'plan' ? ofPlans : operator);

const screens = casesBeside(import.meta.filename, { ROOT })<[name: string, line: string]>('screens');
const SCREENS = Object.fromEntries(screens.map(([name, line]) => [name, line.split(' ')]));

describe.each(WIDTHS)('%i columns', (columns) => {
  test.each(Object.entries(SCREENS))('%s', async (name, args) => {
    // At 80 columns by a real pseudo-terminal, when it is its turn.
    const isReal = columns === 80 && isTurnOf(Object.keys(SCREENS).indexOf(name), 3);
    const at = isReal ? play : playHere;
    const { output, code } = await at(operatorOf(args), args, [], { env: { ...env, VAGENT_LOCAL: '' }, columns });
    // More rows than any of them, so that nothing scrolls away.
    const { text: screen } = await shownBy(output, columns, 500);
    const shown = [
      `$ vagent ${args.join(' ').replaceAll(ROOT, '.')}`,
      screen.trimEnd(),
      ...(code === 0 ? [] : [`[${code}]`]),
    ];
    const text = `${shown.join('\n').replaceAll(operatorOf(args).home, '~')}\n`;
    await expect(text).toMatchFileSnapshot(join(ROOT, `test/screens/${name}.${columns}.txt`));
  });
});

/** Lists and records that a script may read. */
const PIPED = [...Object.values(SCREENS), ['voice', 'list', '-o', 'table'], ['logs', 'stats', '-o', 'table']];
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what must not be there
const ESCAPE = /[\u001b\u009b]/;

test.each(PIPED.map((args) => [args.join(' ').replaceAll(ROOT, '.'), args] as const))(
  'vagent %s | cat: data alone, without escape sequences',
  async (_name, args) => {
    const { stdout, stderr } = await operatorOf(args).run(args);
    expect(`${stdout}${stderr}`).not.toMatch(ESCAPE);
    expect(stdout).not.toMatch(/^Next: |^Not shown:/m);
  },
);
