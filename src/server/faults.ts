/** Injects faults into a served engine, so that programs can be tested against a failing service. */
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { operationNames, operations } from '../contract.ts';
import { ServiceError } from '../errors.ts';
import { errorResponse } from './app.ts';
import type { FaultRule } from './fault-rules.ts';

/**
 * Applies the first rule that a request meets. A share is spread evenly, not drawn, so the same requests fail each time.
 * Hanging requests are cut when `end` aborts because the server closes.
 */
export function faultInjector(rules: readonly FaultRule[], end: AbortSignal): MiddlewareHandler {
  const met = rules.map(() => 0);
  return async (context, next) => {
    const operation = operationNames.find((name) => operations[name].path === context.req.path);
    if (operation === undefined) return next();
    for (const [at, rule] of rules.entries()) {
      if (rule.operation !== '*' && rule.operation !== operation) continue;
      const number = (met[at] ?? 0) + 1;
      met[at] = number;
      if (isMet(rule.when, number)) return act(rule.fault, context, next, end);
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
  end: AbortSignal,
): Promise<Response | undefined> {
  if (typeof fault === 'number') {
    const code = fault === 429 ? 'too_many_requests' : 'server_error';
    const response = errorResponse(new ServiceError(fault, code, `An injected fault of ${fault}.`));
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
    case 'hang': {
      const cut = () => outgoing.socket?.destroy();
      if (end.aborted) cut();
      end.addEventListener('abort', cut, { once: true });
      outgoing.on('close', () => end.removeEventListener('abort', cut));
      return new Promise(() => {});
    }
    case 'html':
      return new Response('<html><title>Welcome</title></html>', { headers: { 'content-type': 'text/html' } });
    case 'empty':
      return new Response(null, { status: 200 });
    case 'truncated': {
      await next();
      const whole = context.res;
      const text = await whole.text();
      // A response that is returned here would be ignored, because there is one already.
      context.res = new Response(text.slice(0, Math.ceil(text.length / 2)), whole);
      return undefined;
    }
  }
}
