/** `vagent` alone: where somebody begins who has set nothing up, and its help for everybody else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../support/program.ts';
import { CTRL_C, play, playHere } from '../support/terminal.ts';

const NEW = { VAGENT_LOCAL: '' };
const DOWN = '\u001b[B';

describe.concurrent('vagent alone', () => {
  test('begins a plan on the simulator', async () => {
    const operator = new Operator({ frozenAt: '2026-11-20T09:00:00Z' });
    writeFileSync(join(operator.home, 'list.csv'), 'phone_number\n+14155550111\n');
    const steps = [
      ...[
        /Where to begin/,
        /❯ Call a list/,
        '\r',
        /List of contacts/,
        /❯ list.csv/,
        '\r',
        /Name of the plan/,
        'Spring\r',
      ],
      ...[/Agent/, /❯ 1/, '\r', /Number to call from/, /❯ \+1/, '\r', /Local hours/, '09:00-20:00\r'],
    ];
    const { code, text } = await play(operator, [], steps, { env: NEW });
    expect(code).toBe(0);
    expect(text).toMatch(/Next time: vagent plan create --local --contacts list\.csv --name Spring/);
  });

  test('connects to a service', async () => {
    const steps = [/Where to begin/, /❯ Call/, DOWN, /❯ Connect/, '\r', /Connect to/, CTRL_C];
    const { code } = await playHere(new Operator(), [], steps, { env: NEW });
    expect(code).toBe(130);
  });

  test('shows the help where a service is named, and elsewhere', async () => {
    const operator = new Operator();
    const named = await playHere(operator, [], [], { env: { VAGENT_LOCAL: '1' } });
    const piped = await operator.run([]);
    for (const { code, text } of [named, { code: piped.code, text: piped.stdout }]) {
      expect(code).toBe(0);
      expect(text).toMatch(/List: +vagent plan create[\s\S]*Batch: +vagent campaign create[\s\S]*Start: /);
      expect(text).not.toContain('Where to begin');
    }
  });
});
