/** A command that runs in the test's process is the same as the program: same streams, exit code and home. */
import { expect, test } from 'vitest';
import { Operator } from './program.ts';

test.each([
  ['a list', ['voice', 'list', '--language', 'es', '--local']],
  ['a usage error', ['voice', 'list', '--nope']],
  ['a note on stderr', ['agent', 'list']],
  ['help', ['call', '--help']],
])('%s', async (_name, args) => {
  const operator = new Operator();
  const here = await operator.run(args);
  const program = await operator.runProgram(args);
  expect(here).toEqual(program);
});

test('the store is in the home of the environment', async () => {
  const operator = new Operator();
  const { store } = JSON.parse((await operator.run(['local', 'status', '--json'])).stdout);
  expect(store).toBe(`${operator.home}/.local/state/vagent/store`);
});
