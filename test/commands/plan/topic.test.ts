/** What `vagent help plans` shows beside the examples that are run where it is tested: the drawn day, and the line of a crontab. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Operator, ROOT } from '../../support/program.ts';
import { NOW } from '../../support/session.ts';

const TOPIC = readFileSync(join(ROOT, 'src/commands/shared/topics/plans.md'), 'utf8');
const SAMPLE = join(ROOT, 'samples/three-cities.csv');
const FROM = ['--agent', '1', '--from', '+14155550100', '--window', '09:00-20:00'];
const HALF_AN_HOUR = 1_800_000;
const BEGIN = Date.parse('2026-11-20T06:00:00Z');
/** CallingWindows of 09:00 in UTC, on that day. */
const OPENS = { Berlin: 8, 'New York': 14, 'Los Angeles': 17 };

interface Call {
  called_to: string;
  timestamp: string;
}

test('the day that is drawn is the one that the simulator plays', async () => {
  const operator = new Operator({ frozenAt: NOW, env: { VAGENT_LOCAL: '1' } });
  await operator.json(['plan', 'create', SAMPLE, '--name', 'Spring', ...FROM, '--retry', 'busy=30m,no_answer=4h']);
  await operator.json(['plan', 'run', '1', '--until-done', '--advance']);
  const { calls } = (await operator.json(['logs', 'list', '--all'])) as { calls: Call[] };
  const cityOf = new Map(
    readFileSync(SAMPLE, 'utf8')
      .split('\n')
      .map((line) => line.split(','))
      .map(([number, , city]) => [number, city]),
  );
  const lines = Object.entries(OPENS).map(([city, opens]) => {
    const cells: string[] = Array.from({ length: 60 }, (_none, at) =>
      at >= (opens - 6) * 2 && at < (opens + 5) * 2 ? '·' : ' ',
    );
    const called = new Set<string>();
    for (const { called_to, timestamp } of calls.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))) {
      if (cityOf.get(called_to) !== city) continue;
      const cell = Math.floor((Date.parse(timestamp) - BEGIN) / HALF_AN_HOUR);
      // Nobody is called at other hours.
      expect(cells[cell], `${called_to} ${timestamp}`).not.toBe(' ');
      if (!called.has(called_to)) cells[cell] = '#';
      else if (cells[cell] === '·') cells[cell] = '+';
      called.add(called_to);
    }
    return `${city.padEnd(13)}${cells.join('')}`.trimEnd();
  });
  const [, drawn = ''] = /```text\nUTC.*\n([\s\S]*?)\n```/.exec(TOPIC) ?? [];
  expect(lines).toEqual(drawn.split('\n'));
});

test('the line of the crontab runs', async () => {
  const [, command = ''] = /^(?:\S+ ){5}vagent (.*)$/m.exec(TOPIC) ?? [];
  const operator = new Operator({ frozenAt: NOW, env: { VAGENT_LOCAL: '1' } });
  await operator.json(['plan', 'create', SAMPLE, '--name', 'Week', ...FROM]);
  const { code, stderr } = await operator.run(command.split(' '));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(await operator.json(['plan', 'status', 'Week'])).toMatchObject({ states: { calling: 30 } });
});
