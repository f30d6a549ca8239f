/** Which faults a served engine can inject, and how they are written. Loads little, because the command line uses it. */
import { type OperationName, operationNames, operations } from '../contract.ts';

/** `reset` cuts the connection before the request is handled, `reset-after` afterwards: the client cannot see the difference. */
export const FAULT_KINDS = ['reset', 'reset-after', 'hang', 'html', 'empty', 'truncated'] as const;

export interface FaultRule {
  operation: OperationName | '*';
  /** One of FAULT_KINDS, or an HTTP status. */
  fault: (typeof FAULT_KINDS)[number] | number;
  /** The requests of the operation that meet it: the first `count`, or a share of all. */
  when: { count: number } | { share: number };
}

/**
 * Reads `<operation>:<fault>[:<rate or count>]`: the operation is its path's last part or `*`; a whole number is a count, and
 * one with a point a rate from 0.0 to 1.0. Undefined if the text is not such a rule.
 */
export function parseFaultRule(text: string): FaultRule | undefined {
  const [operationText = '', faultText = '', amount = '1.0', ...rest] = text.split(':');
  const operation =
    operationText === '*' ? '*' : operationNames.find((name) => operations[name].path === `/${operationText}`);
  const status = /^[45]\d\d$/.test(faultText) ? Number(faultText) : undefined;
  const fault = status ?? FAULT_KINDS.find((kind) => kind === faultText);
  if (operation === undefined || fault === undefined || rest.length > 0) return undefined;
  if (/^\d{1,9}$/.test(amount)) return { operation, fault, when: { count: Number(amount) } };
  if (/^(0\.\d+|1\.0+)$/.test(amount)) return { operation, fault, when: { share: Number(amount) } };
  return undefined;
}
