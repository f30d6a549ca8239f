/**
 * Keys from commands of the operator's own: what may go wrong with them, what is shown of it, and that nothing they printed
 * is. Each row is a real line of the shell, in a profile of the built program.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { keyFromCommand } from '../../src/settings/key-command.ts';
import { casesBeside } from '../support/cases.ts';
import { testContext } from '../support/context.ts';
import { sendJson, startServer } from '../support/http.ts';
import { gone } from '../support/processes.ts';
import { finished, Operator, type Outcome } from '../support/program.ts';

const cases = casesBeside(import.meta.filename);

const KEY = 'sk-PLANTED-4471';

const service = await startServer(({ query }, response) => {
  const isRight = query.get('api_key') === KEY;
  sendJson(response, isRight ? 200 : 401, isRight ? { success: true, voices: [], agents: [] } : { message: 'No.' });
});

/** An operator whose profile has that command, as if it had been added. */
function withCommand(api_key_command: string): Operator {
  const operator = new Operator();
  const folder = join(operator.home, '.config/vagent');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const work = { mode: 'remote', base_url: service.url, organization_id: 7, api_key_command };
  const config = JSON.stringify({ active: 'work', profiles: { work } });
  writeFileSync(join(folder, 'config.json'), config, { mode: 0o600 });
  return operator;
}

describe.concurrent('a key command', () => {
  const sound = cases<[name: string, command: string, stderr: string]>('sound');
  for (const [name, command, stderr] of sound) {
    test(name, async () => {
      const outcome = await withCommand(command).run(['voice', 'list'], { input: 'not-a-key' });
      expect(outcome).toEqual({ code: 0, signal: null, stdout: '', stderr });
    });
  }

  const unsound = cases<[name: string, command: string, says: RegExp]>('unsound');
  for (const [name, command, says] of unsound) {
    const operator = withCommand(command);
    test(`${name}: exit 4`, async () => {
      for (const flags of [[], ['--json']]) {
        const { code, stdout, stderr } = await operator.run(['voice', 'list', ...flags]);
        if (flags.length === 0) expect(stderr).toMatch(says);
        else expect(JSON.parse(stderr).error).toMatchObject({ code: 'credentials', exit_code: 4 });
        expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
        expect(stderr).not.toContain('PLANTED');
      }
    });
  }

  const asked = new Operator();
  test('is run once, however many requests there are', async () => {
    const command = `echo . >>"${join(asked.home, 'asked')}"; echo ${KEY.slice(0, -4)}"$((4000 + 471))"`;
    const args = ['profile', 'add', 'work', '--base-url', service.url, '--org', '7', '--api-key-command', command];
    expect(await asked.run(args)).toMatchObject({ code: 0 });
    const requests = service.received.length;
    expect(await asked.run(['doctor'])).toMatchObject({ code: 0 });
    expect(service.received.length).toBeGreaterThan(requests);
    expect(readFileSync(join(asked.home, 'asked'), 'utf8')).toBe('.\n.\n');
  });

  const interrupted = withCommand('echo $$ >started; sleep 100 | cat');
  test('ends at Ctrl-C, with all that it started', async () => {
    const child = interrupted.start(['voice', 'list']);
    const ended: Promise<Outcome> = finished(child);
    const group = await startedGroup(interrupted);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stdout: '', stderr: 'vagent: Interrupted.\n' });
    await gone(group);
  });

  const slow = new Operator();
  test('ends when its time is over, with all that it started', async () => {
    const { context } = testContext();
    const command = `echo $$ >"${join(slow.home, 'started')}"; trap '' TERM; echo ${KEY}; sleep 100 | cat`;
    // Time enough for the command to begin, on a busy machine too.
    const key = keyFromCommand(command, { ...context, timeoutMs: 3000 });
    await expect(key).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/failed \(no end within 3 s\)\.$/),
      hint: expect.not.stringContaining('PLANTED'),
    });
    const group = await startedGroup(slow);
    await gone(group);
  });
});

/** The process group of the command, once it has written it down. */
async function startedGroup({ home }: Operator): Promise<number> {
  const path = join(home, 'started');
  while ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) await sleep(10);
  return Number(readFileSync(path, 'utf8'));
}
