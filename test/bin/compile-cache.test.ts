/** What Node.js compiled is kept where only this user can write, and nowhere else; Node.js 20 has no such thing. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../support/program.ts';

const hasCache = Number.parseInt(process.versions.node, 10) >= 22;

/** What is kept after a command, as the folders of Node.js versions. */
async function keptAfterHelp(operator: Operator, env: Record<string, string> = {}): Promise<string[]> {
  expect(await operator.runProgram(['--help'], { env })).toMatchObject({ code: 0, stderr: '' });
  const folder = join(env.XDG_CACHE_HOME ?? join(operator.home, '.cache'), 'vagent');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test.runIf(!hasCache)('before Node.js 22 nothing is kept, and no folder made', async () => {
  const operator = new Operator();
  expect(await keptAfterHelp(operator)).toEqual([]);
  expect(readdirSync(operator.home)).toEqual([]);
});

describe.runIf(hasCache)('what Node.js compiled', () => {
  test('is kept in a folder of the user alone', async () => {
    const operator = new Operator();
    expect(await keptAfterHelp(operator)).toHaveLength(1);
    expect(statSync(join(operator.home, '.cache/vagent')).mode & 0o777).toBe(0o700);
  });

  test('is kept where XDG_CACHE_HOME says', async () => {
    const operator = new Operator();
    expect(await keptAfterHelp(operator, { XDG_CACHE_HOME: join(operator.home, 'elsewhere') })).toHaveLength(1);
    expect(readdirSync(operator.home)).toEqual(['elsewhere']);
  });

  test.each([
    ['that others may write to', (folder: string) => chmodSync(folder, 0o777)],
    ['that cannot be written to', (folder: string) => chmodSync(folder, 0o500)],
  ])('is not kept in a folder %s', async (_name, change) => {
    const operator = new Operator();
    const folder = join(operator.home, '.cache/vagent');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    change(folder);
    // The superuser may write anywhere.
    const isAllowed = process.getuid?.() === 0 && (statSync(folder).mode & 0o077) === 0;
    expect(await keptAfterHelp(operator)).toHaveLength(isAllowed ? 1 : 0);
  });

  test('is not kept behind a link', async () => {
    const operator = new Operator();
    const target = join(operator.home, 'target');
    mkdirSync(target, { mode: 0o700 });
    mkdirSync(join(operator.home, '.cache'));
    symlinkSync(target, join(operator.home, '.cache/vagent'));
    expect(await keptAfterHelp(operator)).toEqual([]);
  });

  test.each(['NODE_DISABLE_COMPILE_CACHE', 'HOME'])('is not kept where %s says so', async (name) => {
    const operator = new Operator();
    expect(await keptAfterHelp(operator, { [name]: name === 'HOME' ? '/nowhere/at/all' : '1' })).toEqual([]);
    expect(readdirSync(operator.home)).toEqual([]);
  });

  test('is kept by Node.js itself where NODE_COMPILE_CACHE says', async () => {
    const operator = new Operator();
    const folder = join(operator.home, 'theirs');
    expect(await keptAfterHelp(operator, { NODE_COMPILE_CACHE: folder })).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
