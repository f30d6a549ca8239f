/** The command tree: what it says of a command that is not loaded is what the command says of itself. */
import { describe, expect, test } from 'vitest';
import { commandSummaries } from '../src/program.ts';
import { Operator } from './support/program.ts';

describe.concurrent('the arguments in a list of commands are those of the command', () => {
  const operator = new Operator();
  test.each([...commandSummaries().keys()])('%s', async (path) => {
    const words = path.split(' ');
    const own = await operator.run([...words, '--help']);
    const [, takes] = /^Usage: vagent .*? \[flags\] ?(.*)$/m.exec(own.stdout) ?? [];
    const names = [...(takes?.matchAll(/[<[]([\w=]+)/g) ?? [])].map(([, name]) => name);
    const [, listed = ''] = /^Arguments:\n((?: .*\n)*)/m.exec(own.stdout) ?? [];
    expect([...listed.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)).toEqual(names);
  });
});
