/** What `--dry-run` prints: the request as it would be sent, the key masked. Needs no key and no network. */
import type { Context } from '../context.ts';
import { checkRequest, type OperationName, operations, type RequestOf } from '../contract.ts';
import { InputError } from '../errors.ts';
import { printJson } from '../output.ts';
import { serviceName } from '../settings.ts';

export async function printDryRun<K extends OperationName>(
  context: Context,
  operation: K,
  request: RequestOf<K>,
): Promise<void> {
  const { io, settings, flags, organizationId } = context;
  // Not needed; but a key that is at hand is masked also where it was pasted into a text.
  if (flags.apiKeyFile !== undefined && context.isRemote) await context.credentials().catch(() => {});
  const { method, path } = operations[operation];
  const checked = checkRequest(operation, request);
  if (!checked.ok) throw new InputError(`The request to ${path} is invalid.`, { issues: checked.issues });
  const { target } = settings;
  const body = { organization_id: organizationId ?? null, api_key: '<API_KEY>', ...request };
  const base = target.mode === 'remote' ? serviceName(target.baseUrl) : '';
  await printJson(io, { method, url: `${base}${path}`, body });
  io.note('Dry run: nothing was sent.');
}
