/** `vagent api`: it knows the operations of the contract, and no others. */
import { expect, test } from 'vitest';
import { operationNames, operations } from '../../src/contract.ts';
import { Operator } from '../support/program.ts';

const operator = new Operator();
const paths = operationNames.map((name) => operations[name].path.slice(1));

test('its help names every operation', async () => {
  const { stdout } = await operator.run(['api', '--help']);
  expect(stdout.replace(/\s+/g, ' ')).toContain(paths.join(', '));
});

test('an operation that does not exist is refused, with all that do', async () => {
  const { code, stderr } = await operator.run(['api', 'get-nothing']);
  expect(code).toBe(2);
  expect(stderr).toBe(`vagent: There is no operation get-nothing.\n  → Operations: ${paths.join(', ')}.\n`);
});
