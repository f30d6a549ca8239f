/** The list of those who opted out: what is on it stays on it, and nobody is called where that is in doubt. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OptedOut } from '../../src/register/opted-out.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { temporaryFolder } from '../support/program.ts';

describe('numbers that opted out', () => {
  const optedOut = (state: string, service = 'https://calls.example', organizationId = 1) =>
    new OptedOut({ state: ownState(state), command: 'test', service, isLocal: false, organizationId });

  test('are not known any more where the organization that they told begins anew, and can be told again', async () => {
    const state = temporaryFolder();
    await optedOut(state, 'shop', 1).add([14_155_550_201]);
    await optedOut(state, 'shop', 2).add([14_155_550_202]);
    await optedOut(state, 'other').add([14_155_550_201]);
    const list = optedOut(state, 'shop', 1);
    await list.beginAnew();
    expect([...list.phones()]).toEqual([14_155_550_202]);
    expect([...optedOut(state, 'other').phones()]).toEqual([14_155_550_201]);
    await list.add([14_155_550_201]);
    expect(optedOut(state, 'shop', 2).has(14_155_550_201)).toBe(true);
  });

  test('are known to everything of the service, in every spelling of its address and for every organization', async () => {
    const state = temporaryFolder();
    await optedOut(state).add([14_155_550_201]);
    await optedOut(state).add([14_155_550_201, 14_155_550_202]);
    expect(optedOut(state).has(14_155_550_202)).toBe(true);
    expect(optedOut(state).has(14_155_550_203)).toBe(false);
    expect(optedOut(state, 'https://other.example').has(14_155_550_201)).toBe(false);
    expect(optedOut(state, 'HTTPS://calls.example:443/').has(14_155_550_201)).toBe(true);
    // The people who are called do not see it.
    expect(optedOut(state, undefined, 2).has(14_155_550_201)).toBe(true);
    expect(readFileSync(join(state, 'plans', 'opted-out.jsonl'), 'utf8').split('\n')).toHaveLength(3);
  });

  test.each([
    ['is removed', () => undefined],
    ['is empty', () => ''],
    ['was cut after a line', (text: string) => text.slice(0, text.indexOf('\n') + 1)],
    ['was cut within a line', (text: string) => text.slice(0, -3)],
  ])('cannot be told where the list %s, so nobody may be called', async (_how, cut) => {
    const state = temporaryFolder();
    const path = join(state, 'plans', 'opted-out.jsonl');
    await optedOut(state).add([14_155_550_201, 14_155_550_202]);
    const whole = readFileSync(path, 'utf8');
    const left = cut(whole);
    if (left === undefined) rmSync(path);
    else writeFileSync(path, left);
    expect(() => optedOut(state).has(14_155_550_203)).toThrow(/opted-out\.jsonl has [01] of 2 lines/);
    await expect(optedOut(state).add([1])).rejects.toMatchObject({ exitCode: 9, code: 'opted_out_damaged' });
    expect(existsSync(path) ? readFileSync(path, 'utf8') : undefined).toBe(left);

    writeFileSync(path, whole);
    expect(optedOut(state).has(14_155_550_202)).toBe(true);
  });

  test('are counted again after a process that was stopped before it had', async () => {
    const state = temporaryFolder();
    const [list, count] = ['opted-out.jsonl', 'opted-out.count.json'].map((name) => join(state, 'plans', name)) as [
      string,
      string,
    ];
    await optedOut(state).add([14_155_550_201, 14_155_550_202]);
    writeFileSync(count, '{"lines":1}\n');
    expect(optedOut(state).has(14_155_550_202)).toBe(true);
    await optedOut(state).add([14_155_550_202]);
    expect(JSON.parse(readFileSync(count, 'utf8'))).toEqual({ lines: 2 });

    writeFileSync(count, '');
    expect(() => optedOut(state).has(1)).toThrow(/opted-out\.count\.json does not say/);
    // Somebody took them out on purpose.
    rmSync(count);
    writeFileSync(list, '');
    expect(optedOut(state).has(14_155_550_202)).toBe(false);
  });

  test('cannot be told from a damaged file, so nobody may be called', async () => {
    const state = temporaryFolder();
    mkdirSync(join(state, 'plans'));
    writeFileSync(join(state, 'plans', 'opted-out.jsonl'), 'nonsense\n');
    expect(() => optedOut(state).has(1)).toThrow(/line 1 is damaged/);
    await expect(optedOut(state).add([1])).rejects.toMatchObject({ exitCode: 9 });
  });
});
