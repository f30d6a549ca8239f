/** The command tree: what it says of a command that is not loaded is what the command says of itself. */
import { describe, expect, test } from 'vitest';
import { commandSummaries } from '../src/program.ts';
import { Operator } from './support/program.ts';

describe.concurrent('the arguments in a list of commands are those of the command', () => {
  const operator = new Operator();
  test.each([...commandSummaries().keys()])('%s', async (path) => {
    const words = path.split(' ');
    const own = await operator.run([...words, '--help']);
    const [, takes] = /^Usage: vagent .*? (\[options\].*)/.exec(own.stdout) ?? [];
    const list = await operator.run([...words.slice(0, -1), '--help']);
    const lines = list.stdout.split('\n').map((line) => `${line}  `);
    expect(lines.filter((line) => line.startsWith(`  ${words.at(-1)} ${takes}  `))).toHaveLength(1);
  });
});
