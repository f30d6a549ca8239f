/** What `--dry-run` prints: the request as it would be sent, the key masked. Needs no key and no network. */
import type { Context } from '../context.ts';
import { checkRequest, type OperationName, operations, type RequestOf } from '../contract.ts';
import { InputError } from '../errors.ts';
import { toJson } from '../output.ts';
import { serviceName } from '../settings.ts';

export async function printDryRun<K extends OperationName>(
  { io, settings, organizationId }: Context,
  operation: K,
  request: RequestOf<K>,
): Promise<void> {
  const { method, path } = operations[operation];
  const checked = checkRequest(operation, request);
  if (!checked.ok) throw new InputError(`The request to ${path} is invalid.`, { issues: checked.issues });
  const { target } = settings;
  const body = { organization_id: organizationId ?? null, api_key: '<API_KEY>', ...request };
  const base = target.mode === 'remote' ? serviceName(target.baseUrl) : '';
  await io.data(toJson({ method, url: `${base}${path}`, body }));
  io.note('Dry run: nothing was sent.');
}
