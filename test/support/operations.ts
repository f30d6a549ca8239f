/** The operations of the contract by their names on the wire. */
import { operations } from '../../src/contract.ts';

/** Those that only read, so that each can be asked without knowing its fields: `get-agents`. */
export const READING_OPERATIONS = Object.values(operations)
  .filter(({ method }) => method === 'GET')
  .map(({ path }) => path.slice(1));
