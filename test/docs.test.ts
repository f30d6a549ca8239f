/** Documentation is tested: every command has help, an example and a place in the README, and the README's examples run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator, ROOT } from './support/program.ts';
import { matches, NOW, parseSession, SessionRunner } from './support/session.ts';
import { voiceExample } from './support/voice-example.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

const COMMANDS = [
  'call',
  'campaign create',
  'campaign list',
  'campaign status',
  'campaign results',
  'campaign rehearse',
  'contacts check',
  'contacts template',
  'logs list',
  'logs export',
  'logs show',
  'logs stats',
  'logs sync',
  'logs follow',
  'agent create',
  'agent list',
  'voice list',
  'profile add',
  'profile list',
  'profile use',
  'profile show',
  'profile remove',
  'serve',
  'local status',
  'local reset',
  'local advance',
  'local topup',
  'local number',
  'local agent',
  'local campaign',
  'local scenario',
  'local check',
  'doctor',
  'api',
];

describe.concurrent('help', () => {
  const operator = new Operator();

  test('the list of commands is complete', async () => {
    const nouns = namesIn((await operator.run(['--help'])).stdout);
    const all = await Promise.all(
      nouns.map(async (noun) => {
        const verbs = namesIn((await operator.run([noun, '--help'])).stdout);
        return verbs.length === 0 ? [noun] : verbs.map((verb) => `${noun} ${verb}`);
      }),
    );
    expect(all.flat().sort()).toEqual([...COMMANDS].sort());
  });

  test.each(COMMANDS)('vagent %s', async (command) => {
    const { code, stdout, stderr } = await operator.run([...command.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: vagent ${command}`);
    expect(stdout).toContain(`$ vagent ${command}`);
    expect(README).toContain(`vagent ${command}`);
  });
});

/** The names under `Commands:` in a help text. */
function namesIn(help: string): string[] {
  const [, list = ''] = help.split('\nCommands:\n');
  const names = list.split('\n\n')[0]?.matchAll(/^ {2}([a-z]+)/gm) ?? [];
  return [...names].map(([, name = '']) => name).filter((name) => name !== 'help');
}

// Some sixty programs, one after the other.
test('the README is a session that runs as it stands', { timeout: 120_000 }, async () => {
  const text = [...README.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
  const runner = new SessionRunner({ SECRET: 'sk-readme-key-0001', ...(await voiceExample(NOW)) });
  for (const step of parseSession(text)) {
    const actual = await runner.run(step);
    if (!matches(actual, step.expected)) expect(actual, step.command).toEqual(step.expected);
  }
});
