/** Checks of a remote service. One request shows whether it answers, and whether it accepts the key. */

import type { Context } from '../context.ts';
import { type Agent, E164, type Service } from '../contract.ts';
import { InputError, limitOf, reworded, systemCode, VagentError } from '../errors.ts';
import { agentPages } from '../paging/agents.ts';
import type { Check } from './check.ts';
import { addedAgain, countryCheck, judgeAgent, NONE_IS_SET } from './defaults.ts';

export function remoteChecks(context: Context): Check[] {
  const clock = new HeardClock();
  const connected = connecting(context, clock);
  return [
    {
      name: 'key',
      what: 'key',
      needs: ['base_url'],
      look: async () => `from ${(await context.settings.key()).source}`,
    },
    {
      name: 'service',
      what: 'service',
      needs: ['base_url', 'proxy', 'organization', 'key'],
      look: async () => {
        const { service, baseUrl } = await connected();
        return reach(context, service, baseUrl);
      },
    },
    {
      name: 'agent',
      what: 'default agent',
      needs: ['service'],
      look: async () => defaultAgent(context, (await connected()).service),
    },
    { name: 'from', what: 'default from number', needs: ['profile'], look: () => fromNumber(context) },
    countryCheck(context),
    { name: 'clock', what: 'clock', look: () => clock.judge() },
  ];
}

/** The service's clock, from its newest answer. */
class HeardClock {
  /** Milliseconds that this machine's clock is ahead. */
  #ahead: number | undefined;

  hear(date: string | undefined, now: number): void {
    const there = date === undefined ? Number.NaN : Date.parse(date);
    if (!Number.isNaN(there)) this.#ahead = now - there;
  }

  /** Undefined if no answer had a date. */
  judge(): string | undefined {
    if (this.#ahead === undefined) return undefined;
    const seconds = Math.round(this.#ahead / 1000);
    if (Math.abs(seconds) <= CLOCK_TOLERANCE) return `within ${CLOCK_TOLERANCE} s of the service's`;
    const side = seconds > 0 ? 'ahead of' : 'behind';
    // Exit code 3, because a command would compute wrong dates and times from it.
    throw new InputError(`This machine's clock is ${Math.abs(seconds)} s ${side} the service's.`, {
      hint: 'Set it, or let the network set it: start times and --since go by it.',
    });
  }
}

/** Seconds. */
const CLOCK_TOLERANCE = 60;

interface Connected {
  service: Service;
  baseUrl: URL;
}

/** One client for all checks, created by the first check that needs it. */
function connecting(context: Context, clock: HeardClock): () => Promise<Connected> {
  let connected: Promise<Connected> | undefined;
  const connect = async () => {
    const target = context.settings.target();
    if (target.mode !== 'remote') throw new Error('there is no remote service');
    const { baseUrl } = target;
    const onRequest = ({ date }: { date: string | undefined }) => clock.hear(date, context.systemNow());
    return { service: await context.serviceAt(baseUrl, await context.settings.credentials(), onRequest), baseUrl };
  };
  return () => {
    connected ??= connect();
    return connected;
  };
}

async function reach(context: Context, service: Service, baseUrl: URL): Promise<string> {
  try {
    await service.getAgents({ limit: 1 });
    return `answers, and accepts the key for organization ${context.settings.requireOrganization()}`;
  } catch (error) {
    if (!(error instanceof VagentError)) throw error;
    const hint = await adviceOnFailure(error, context, baseUrl);
    throw hint === undefined ? error : reworded(error, { hint, reason: undefined });
  }
}

async function adviceOnFailure(error: VagentError, context: Context, baseUrl: URL): Promise<string | undefined> {
  const { status, exitCode } = error;
  if (status === 401 || status === 403)
    return `Replace the key, which comes from ${(await context.settings.key()).source}.`;
  if (status === 404) {
    return `Check the organization (${context.settings.requireOrganization()}) and the path of the base URL.`;
  }
  const isOfWay = status === undefined && exitCode === 7;
  // Behind a proxy only the client knows which of the two connections failed.
  const isDirect = (await context.proxyFor(baseUrl)) === undefined;
  return isOfWay && isDirect ? adviceFor(error) : undefined;
}

/** What usually fixes each kind of failed connection. */
const ADVICE: readonly [RegExp, string][] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'Check the host in the base URL, and that this machine can resolve names.'],
  [/^ECONNREFUSED$/, 'Check host and port in the base URL, and that the service runs.'],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'Check the network: cable, VPN, firewall, or a proxy in HTTPS_PROXY.'],
  [/ALTNAME/, 'Check the host in the base URL: the certificate names another.'],
  [/EXPIRED|NOT_YET_VALID/, "Check this machine's clock; if that is right, the service has to renew its certificate."],
  [/CERT|SIGNATURE/, "Where your company signs its own: NODE_EXTRA_CA_CERTS=<a PEM file of the signer's certificate>."],
  [/^(EPROTO|ERR_SSL_.*)$/, 'Check scheme and port in the base URL: what listens there does not speak TLS.'],
];

function adviceFor(error: VagentError): string | undefined {
  if (limitOf(error) !== undefined) return 'Check the network, or wait longer: --timeout 60s.';
  const cause = rootCause(error);
  return ADVICE.find(([pattern]) => pattern.test(cause))?.[1];
}

/** The code of the first error in the chain of causes. */
function rootCause(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const cause = (first as { cause?: unknown } | undefined)?.cause;
  if (cause !== undefined) return rootCause(cause);
  return systemCode(first) ?? '';
}

async function defaultAgent(context: Context, service: Service): Promise<string> {
  const agentId = context.settings.profile()?.agent_id;
  return agentId === undefined ? NONE_IS_SET : judgeAgent(context, agentId, await findAgent(service, agentId));
}

async function findAgent(service: Service, agentId: number): Promise<Agent | undefined> {
  for await (const { agents } of agentPages(service)) {
    const found = agents.find(({ agent_id }) => agent_id === agentId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Checks only the form: the interface has no operation that lists the numbers of the organization. */
async function fromNumber(context: Context): Promise<string> {
  const from = context.settings.profile()?.from;
  if (from === undefined) return NONE_IS_SET;
  const { readE164 } = await import('../contacts/numbers/international.ts');
  const reading = E164.test(from) ? readE164(from) : undefined;
  const hint = addedAgain(context, '--from <number>');
  if (reading === undefined || 'code' in reading) throw new InputError(`${from} is not an E.164 number.`, { hint });
  if (!reading.isAssigned) throw new InputError(`${from} is not assigned in any country's numbering plan.`, { hint });
  return `${from} is well-formed; whether it is registered shows only when it calls`;
}
