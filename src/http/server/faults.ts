/** Injects faults into a served engine, so that programs can be tested against a failing service. */
import { type OperationName, operationNames, operations } from '../../contract.ts';
import { ServiceError } from '../../errors.ts';
import { type Exchange, errorReply, type Reply, type Step } from './app.ts';

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

/**
 * Applies the first rule that a request meets. A share is spread evenly, not drawn, so the same requests fail each time.
 * Hanging requests are cut when `end` aborts because the server closes.
 */
export function faultInjector(rules: readonly FaultRule[], end: AbortSignal): Step {
  const met = rules.map(() => 0);
  return (exchange, next) => {
    const { operation } = exchange;
    if (operation === undefined) return next();
    for (const [at, rule] of rules.entries()) {
      if (rule.operation !== '*' && rule.operation !== operation) continue;
      const number = (met[at] ?? 0) + 1;
      met[at] = number;
      if (isMet(rule.when, number)) return act(rule.fault, exchange, next, end);
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
  { outgoing }: Exchange,
  next: () => Promise<Reply>,
  end: AbortSignal,
): Promise<Reply> {
  if (typeof fault === 'number') {
    const code = fault === 429 ? 'too_many_requests' : 'server_error';
    const reply = errorReply(new ServiceError(fault, code, `An injected fault of ${fault}.`));
    const isLimit = fault === 429 || fault === 503;
    return isLimit ? { ...reply, headers: { ...reply.headers, 'retry-after': '1' } } : reply;
  }
  switch (fault) {
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><title>Welcome</title></html>' };
    case 'empty':
      return { status: 200, headers: {}, body: '' };
    case 'truncated': {
      const whole = await next();
      return { ...whole, body: whole.body.slice(0, Math.ceil(whole.body.length / 2)) };
    }
    case 'hang': {
      const cut = () => outgoing.socket?.destroy();
      if (end.aborted) cut();
      end.addEventListener('abort', cut, { once: true });
      outgoing.on('close', () => end.removeEventListener('abort', cut));
      break;
    }
    case 'reset-after':
      await next();
      outgoing.socket?.resetAndDestroy();
      break;
    case 'reset':
      outgoing.socket?.resetAndDestroy();
  }
  return new Promise(() => {});
}
