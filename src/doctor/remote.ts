/** Checks of a remote service. One request shows whether it answers, and whether it accepts the key. */
import type { Context } from '../context.ts';
import { E164 } from '../contract.ts';
import { InputError, limitOf, reworded, systemCode, VagentError } from '../errors.ts';
import { SECOND } from '../text/units.ts';
import { type Asked, judgeAgent, NONE_IS_SET, profileEdit } from './asked.ts';

export async function key({ settings }: Context): Promise<string> {
  return `from ${(await settings.key()).source}`;
}

/** Seconds. */
const CLOCK_TOLERANCE = 60;

/** By the service's newest answer; undefined if none had a date. */
export function clock({ clock }: Context): string | undefined {
  const there = clock.byAnswers();
  if (there === undefined) return undefined;
  const seconds = Math.round((clock.system() - there) / SECOND);
  if (Math.abs(seconds) <= CLOCK_TOLERANCE) return `within ${CLOCK_TOLERANCE} s of the service's`;
  const side = seconds > 0 ? 'ahead of' : 'behind';
  // Exit code 3, because a command would compute wrong dates and times from it.
  throw new InputError(`This machine's clock is ${Math.abs(seconds)} s ${side} the service's.`, {
    hint: 'Set it, or let the network set it: start times and --since go by it.',
  });
}

export async function service(context: Context, asked: Asked): Promise<string> {
  const found = await asked.service();
  try {
    await found.getAgents({ limit: 1 });
    return `answers, and accepts the key for organization ${context.settings.requireOrganization()}`;
  } catch (error) {
    if (!(error instanceof VagentError)) throw error;
    const hint = await adviceOnFailure(error, context);
    throw hint === undefined ? error : reworded(error, { hint, reason: undefined });
  }
}

async function adviceOnFailure(error: VagentError, { settings, services }: Context): Promise<string | undefined> {
  const { status, exitCode } = error;
  if (status === 401 || status === 403) return `Replace the key, which comes from ${(await settings.key()).source}.`;
  if (status === 404) return `Check the organization (${settings.requireOrganization()}) and the path of the base URL.`;
  const target = settings.target();
  // Behind a proxy only the client knows which of the two connections failed.
  const isDirect = target.mode === 'remote' && (await services.proxyFor(target.baseUrl)) === undefined;
  return status === undefined && exitCode === 7 && isDirect ? adviceFor(error) : undefined;
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

export async function agent(context: Context, asked: Asked): Promise<string> {
  const agentId = context.settings.profile()?.agent_id;
  if (agentId === undefined) return NONE_IS_SET;
  for await (const { agents } of asked.agentPages(await asked.service())) {
    const found = agents.find(({ agent_id }) => agent_id === agentId);
    if (found !== undefined) return judgeAgent(context, agentId, found);
  }
  return judgeAgent(context, agentId, undefined);
}

/** Checks only the form: the interface has no operation that lists the numbers of the organization. */
export async function fromNumber(context: Context): Promise<string> {
  const from = context.settings.profile()?.from;
  if (from === undefined) return NONE_IS_SET;
  const { readE164 } = await import('../contacts/numbers/dialled.ts');
  const reading = E164.test(from) ? readE164(from) : undefined;
  const hint = profileEdit(context, '--from <number>');
  if (reading === undefined || 'code' in reading)
    throw new InputError(`${from} is not an international number.`, { hint });
  if (!reading.isAssigned) throw new InputError(`${from} is not assigned in any country's numbering plan.`, { hint });
  return `${from} is well-formed; whether it is registered shows only when it calls`;
}
