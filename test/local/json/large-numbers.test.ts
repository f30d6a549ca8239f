/** Numbers that somebody wrote into the store: with them nothing can be counted on, so the store is damaged, and stays as it is. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;

type Root = {
  state: { campaigns: Record<string, number>[]; next_call_number: number; scenario: Record<string, number> };
};

describe('a number near 2^53 in the root', async () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const whole = join(operator.home, 'whole');
  const campaign = ['--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--contacts', '-'];
  await operator.run(['campaign', 'create', ...campaign, '--store', whole], {
    input: 'phone_number\n+14155550190\n+14155550191\n',
  });
  const root = readFileSync(join(whole, 'store.json'), 'utf8');
  test.each<[field: string, write: (root: Root, value: number) => void]>([
    ['next_contact', ({ state }, value) => Object.assign(state.campaigns[0] as object, { next_contact: value })],
    ['attempts', ({ state }, value) => Object.assign(state.campaigns[0] as object, { attempts: value })],
    ['next_call_number', ({ state }, value) => Object.assign(state, { next_call_number: value })],
    ['price_per_minute', ({ state }, value) => Object.assign(state.scenario, { price_per_minute: value })],
  ])('%s: exit 9, and nothing is written', async (field, write) => {
    const store = join(operator.home, field);
    cpSync(whole, store, { recursive: true });
    const damaged = JSON.parse(root) as Root;
    write(damaged, LARGEST);
    writeFileSync(join(store, 'store.json'), JSON.stringify(damaged));
    const { code, stderr } = await operator.run(['local', 'advance', '3h', '--store', store]);
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('The store is damaged: ');
    expect(JSON.parse(readFileSync(join(store, 'store.json'), 'utf8'))).toEqual(damaged);
  });
});
