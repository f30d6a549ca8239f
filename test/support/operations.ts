/** The operations of the contract as command lines. */
import { checkFields, operationNames, operations } from '../../src/contract.ts';

/** Those that only read: `api get-agents`, with a value for each field that must be given. */
export const READING_LINES = operationNames
  .filter((name) => operations[name].method === 'GET')
  .map((name) => {
    const checked = checkFields(name, {});
    const given = checked.ok ? [] : checked.issues.map(({ field }) => `${field}=1`);
    return [`api ${operations[name].path.slice(1)}`, ...given].join(' ');
  });
