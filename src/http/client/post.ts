/** Posts JSON to an address of the operator's, which is no service of ours: no key goes there, and no redirect is followed. */
import { InterruptedError, UnavailableError } from '../../errors.ts';
import { SECOND } from '../../text/units.ts';
import { DeadlinePassed, openConnections, send, Unsent } from './connections.ts';
import { causeInWords } from './explain.ts';
import type { HttpProxy } from './proxy.ts';

export interface PostOptions {
  /** Milliseconds until the reply begins. */
  timeoutMs: number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  proxyFor(url: URL): Promise<HttpProxy | undefined>;
}

/** Throws UnavailableError unless the reply is a 2xx, and InterruptedError. */
export async function post(url: URL, json: string, { timeoutMs, signal, proxyFor }: PostOptions): Promise<void> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DeadlinePassed()), timeoutMs);
  const until = AbortSignal.any([signal, limit.signal]);
  const connections = await openConnections(url, await proxyFor(url), until);
  try {
    const headers = { 'content-type': 'application/json', accept: '*/*' };
    const { status } = await send(connections, until, url, { method: 'POST', headers, body: json, reset: true });
    if (status < 200 || status > 299) throw new UnavailableError(`${url.host} answers ${status}.`);
  } catch (error) {
    if (signal.aborted) throw new InterruptedError();
    if (error instanceof UnavailableError) throw error;
    const why = causeInWords(error instanceof Unsent ? error.cause : error, `no answer within ${timeoutMs / SECOND} s`);
    throw new UnavailableError(`${url.host}: ${why}.`, { cause: error });
  } finally {
    clearTimeout(timer);
    void connections.dispatcher.destroy();
  }
}
