/** Faults that a served engine shows on purpose, so that programs can be tested against a service that is ill. */
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { type OperationName, operationNames, operations } from '../contract.ts';
import { ServiceError } from '../errors.ts';
import { errorResponse } from './app.ts';

/** `reset` cuts the connection before the request is handled, `reset-after` when it has been: the client cannot tell. */
export const FAULT_KINDS = ['reset', 'reset-after', 'hang', 'html', 'empty', 'truncated'] as const;

export interface FaultRule {
  operation: OperationName | '*';
  /** One of FAULT_KINDS, or an HTTP status. */
  fault: (typeof FAULT_KINDS)[number] | number;
  /** Which requests of the operation meet it: the first `count`, or a share of all. */
  when: { count: number } | { share: number };
}

/**
 * Reads `<operation>:<fault>[:<rate or count>]`: the operation by its path's last part or `*`, a whole number being a count
 * and one with a point a rate from 0.0 to 1.0. Returns undefined where the text is no such rule.
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

/** Applies the first rule that a request meets. A share is spread evenly, not drawn: the same requests fail each time. */
export function faultInjector(rules: readonly FaultRule[]): MiddlewareHandler {
  const met = rules.map(() => 0);
  return async (context, next) => {
    const operation = operationNames.find((name) => operations[name].path === context.req.path);
    if (operation === undefined) return next();
    for (const [at, rule] of rules.entries()) {
      if (rule.operation !== '*' && rule.operation !== operation) continue;
      const number = (met[at] ?? 0) + 1;
      met[at] = number;
      if (isMet(rule.when, number)) return act(rule.fault, context, next);
    }
    return next();
  };
}

function isMet(when: FaultRule['when'], number: number): boolean {
  if ('count' in when) return number <= when.count;
  return Math.floor(number * when.share) > Math.floor((number - 1) * when.share);
}

async function act(
  fault: FaultRule['fault'],
  context: Context,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  if (typeof fault === 'number') {
    const code = fault === 429 ? 'too_many_requests' : 'server_error';
    const response = errorResponse(new ServiceError(fault, code, `A fault of ${fault}, as asked for.`));
    if (fault === 429 || fault === 503) response.headers.set('retry-after', '1');
    return response;
  }
  const { outgoing } = context.env as HttpBindings;
  switch (fault) {
    case 'reset':
      outgoing.socket?.resetAndDestroy();
      return new Promise(() => {});
    case 'reset-after':
      await next();
      outgoing.socket?.resetAndDestroy();
      return new Promise(() => {});
    case 'hang':
      return new Promise(() => {});
    case 'html':
      return new Response('<html><title>Welcome</title></html>', { headers: { 'content-type': 'text/html' } });
    case 'empty':
      return new Response(null, { status: 200 });
    case 'truncated': {
      await next();
      const text = await context.res.text();
      return new Response(text.slice(0, Math.ceil(text.length / 2)), {
        headers: { 'content-type': 'application/json' },
      });
    }
  }
}
