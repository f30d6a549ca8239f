/** What `--dry-run` prints: the request as it would be sent, the key masked. Needs no key and no network. */
import type { Context } from '../context.ts';
import { checkRequest, operations } from '../contract.ts';
import { InputError, VagentError } from '../errors.ts';
import { printJson } from '../output.ts';
import type { Sending, Sent } from '../register/recorded.ts';

/** Throws InputError for a request that is invalid, and CredentialsError where a real service would be told no organization. */
export async function printDryRun(context: Context, sent: Sent, sending: Sending): Promise<void> {
  const { io, settings, flags } = context;
  const { operation, request } = sent;
  const { method, path } = operations[operation];
  const checked = checkRequest(operation, request);
  if (!checked.ok) throw new InputError(`The request to ${path} is invalid.`, { issues: checked.issues });
  context.tellProfile();
  const { target } = settings;
  const organization_id = context.requireOrganization();
  if (target.mode === 'remote') {
    // Not needed; but a key that is at hand is masked also where it was pasted into a text.
    if (flags.apiKeyFile !== undefined) await context.credentials().catch(() => {});
    await context.requireNew(sent, sending).catch((error: unknown) => {
      if (!(error instanceof VagentError)) throw error;
      io.warn(`this would be refused: ${error.message}`);
    });
  }
  // The local engine is at no address.
  const base = target.mode === 'remote' ? target.name : '';
  await printJson(io, { method, url: `${base}${path}`, body: { organization_id, api_key: '<API_KEY>', ...request } });
  io.note('Dry run: nothing was sent.');
}
