/**
 * What stands beside a file that is written: it is made new, never through a link and never over a file that is somebody's.
 * Every command that writes a file, among files and links that carry the names of its own.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runInHomes } from '../../support/in-homes.ts';
import { Operator, type Outcome, temporaryFolder } from '../../support/program.ts';

const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
const CONTACTS = join(operator.home, 'contacts.csv');
beforeAll(async () => {
  writeFileSync(CONTACTS, 'phone_number\n+14155550190\nnobody\n');
  await operator.run(['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.']);
});

const CALLS = /^call_id,.*\r\ncall_0000000001,/;
/** By the command: the name of what it writes, what that holds, and its words before the path. */
const WRITERS: Record<string, [name: string, holds: RegExp, words: string[]]> = {
  'logs export': ['own.csv', CALLS, ['logs', 'export', '--out']],
  'logs export --resume': ['own.csv', CALLS, ['logs', 'export', '--resume', '--out']],
  'logs export --columns all': ['own.csv', CALLS, ['logs', 'export', '--columns', 'all', '--out']],
  'logs sync': ['own.csv', /call_0000000001/, ['logs', 'sync', '--out']],
  // Of no calls: to draw more charts than these would take longer than all else here.
  'logs stats --html': ['own.html', /<\/html>/, ['logs', 'stats', '--agent', '2', '--html']],
  'contacts check --rejects': ['own.csv', /nobody/, ['contacts', 'check', CONTACTS, '--skip-invalid', '--rejects']],
};

const SUFFIXES = ['.part', '.checkpoint', '.lock', '.new', '.rows', '.rows.part', '.tmp'];
/** The names that stand for what the program keeps, where it kept it or might. */
const neighbours = (name: string) => SUFFIXES.flatMap((suffix) => [`${name}${suffix}`, `.${name}${suffix}`]);
const INSIDE = ['rows', 'checkpoint', 'new', 'spool'];

/** What became of each where no file may hold a byte. */
const withoutRoom: Record<string, { folder: string; outcome: Outcome | undefined }> = {};
beforeAll(async () => {
  const folders = Object.values(WRITERS).map(() => temporaryFolder());
  const lines = Object.values(WRITERS).map(([name, , words], at) => ({
    home: operator.home,
    args: [...words, join(folders[at] as string, name)],
    env: operator.environment,
  }));
  const outcomes = await runInHomes(lines, { before: 'ulimit -f 0' });
  for (const [at, writer] of Object.keys(WRITERS).entries()) {
    withoutRoom[writer] = { folder: folders[at] as string, outcome: outcomes[at] };
  }
});

describe.each(Object.entries(WRITERS))('%s', (writer, [name, holds, words]) => {
  const run = (path: string) => operator.run([...words, path]);
  const writes = async (path: string) => {
    const outcome = await run(path);
    expect(outcome.stderr).not.toContain('vagent: ');
    expect(outcome.code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(holds);
  };
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  test.each(['files', 'links'])('leaves %s of the operator’s beside it as they are', async (what) => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    for (const neighbour of neighbours(name)) {
      const kept = join(what === 'links' ? elsewhere : folder, neighbour);
      writeFileSync(kept, `mine: ${neighbour}`);
      if (what === 'links') symlinkSync(kept, join(folder, neighbour));
    }
    await writes(join(folder, name));
    for (const neighbour of neighbours(name))
      expect(readFileSync(join(folder, neighbour), 'utf8')).toBe(`mine: ${neighbour}`);
    expect(readdirSync(folder).sort()).toEqual([name, ...neighbours(name)].sort());
  });

  test('takes the place of what a run left that was killed, and follows no link within it', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const work = join(folder, `.${name}.vagent`);
    for (const links of [false, true]) {
      mkdirSync(work, { mode: 0o700 });
      for (const inside of INSIDE) {
        if (!links) writeFileSync(join(work, inside), 'half of it');
        else {
          writeFileSync(join(elsewhere, inside), 'somebody’s');
          (inside === 'rows' ? linkSync : symlinkSync)(join(elsewhere, inside), join(work, inside));
        }
      }
      if (!links) writeFileSync(join(work, 'lock'), '{"pid":1,"command":"vagent"}\n');
      await writes(join(folder, name));
      rmSync(work, { recursive: true, force: true });
      rmSync(join(folder, name));
    }
    for (const inside of INSIDE) expect(readFileSync(join(elsewhere, inside), 'utf8')).toBe('somebody’s');
  });

  test.skipIf(process.geteuid?.() !== 0)('refuses another user’s folder in the place of its own: exit 9', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, `.${name}.vagent`), { mode: 0o700 });
    chownSync(join(folder, `.${name}.vagent`), 65534, 65534);
    expect(await run(join(folder, name))).toMatchObject({ code: 9, stderr: expect.stringMatching(/is in the way/) });
    expect(existsSync(join(folder, name))).toBe(false);
  });

  const OLD = words[1] === 'sync' ? '' : 'old\n';

  test.skipIf(process.geteuid?.() !== 0)('leaves a file to its owner', async () => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, OLD);
    chmodSync(path, 0o640);
    chownSync(path, 65534, 65533);
    await writes(path);
    expect(statSync(path)).toMatchObject({ uid: 65534, gid: 65533 });
    expect(mode(path)).toBe('640');
  });

  test.skipIf(process.platform === 'win32')('leaves nothing behind where there is room for nothing', () => {
    const { folder, outcome } = withoutRoom[writer] as (typeof withoutRoom)[string];
    expect(outcome).toMatchObject({
      code: 9,
      stdout: '',
      stderr: expect.stringMatching(/^vagent: Cannot write .*: it would be larger than is allowed\.\n/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
