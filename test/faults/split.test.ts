/** A list that is being cut, killed at any moment: each part is whole, of this run or of the one before, and the next run succeeds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { howMany } from '../support/full-matrix.ts';
import { BIN, Operator } from '../support/program.ts';

const ROWS = 60_000;
const PARTS = 5;
const KILLS = howMany(5, 100);
const SPLIT = ['contacts', 'split', 'all.csv', '--parts', String(PARTS), '--out', 'part.csv', '--quiet'];

test(`killed ${KILLS} times`, async () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const list = (generation: number) =>
    writeFileSync(
      join(operator.home, 'all.csv'),
      `phone_number,generation\n${Array.from({ length: ROWS }, (_none, at) => `+1415${5_560_000 + at},${generation}\n`).join('')}`,
    );
  /** Of each part, which lists its rows are from, and how many it has. */
  const parts = () => {
    const names = readdirSync(operator.home).filter((name) => /^part-\d\.csv$/.test(name));
    return names.map((name) => {
      const rows = readFileSync(join(operator.home, name), 'utf8').split('\r\n').slice(1, -1);
      return { generations: [...new Set(rows.map((row) => row.split(',')[1]))], rows: rows.length };
    });
  };
  const whole = (generation: unknown) =>
    Array.from({ length: PARTS }, () => ({ generations: [generation], rows: ROWS / PARTS }));
  list(0);
  const began = performance.now();
  expect((await operator.run(SPLIT)).code).toBe(0);
  const took = performance.now() - began + 200;
  for (let kill = 1; kill <= KILLS; kill++) {
    list(kill);
    const child = spawn(process.execPath, [BIN, ...SPLIT], {
      cwd: operator.home,
      env: operator.environment,
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await Promise.race([sleep((took * kill) / KILLS), ended]);
    child.kill('SIGKILL');
    await ended;
    expect(parts()).toEqual(whole(expect.stringMatching(/^\d+$/)));
  }
  list(999);
  expect((await operator.run(SPLIT)).code).toBe(0);
  expect(parts()).toEqual(whole('999'));
  expect(readdirSync(operator.home).filter((name) => name.endsWith('.vagent'))).toEqual([]);
});
