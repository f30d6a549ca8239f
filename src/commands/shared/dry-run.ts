/** `--dry-run`: prints the request as it would be sent, without the key. Needs no key and no network. */
import type { Io } from '../../cli/terminal/io.ts';
import { isForPerson, printJson } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { checkRequest, isToContacts, operations, type Sent } from '../../contract.ts';
import { InputError, inFull, VagentError } from '../../errors.ts';
import { refuseOptedOut } from '../../register/do-not-call.ts';
import type { Sending } from '../../register/guards.ts';

async function warnOfRefusal(checking: Promise<unknown>, io: Io): Promise<void> {
  await checking.catch((error: unknown) => {
    if (!(error instanceof VagentError)) throw error;
    io.warn(`this would be refused: ${inFull(error)}`);
  });
}

/** Contacts that a person is shown. */
const SHOWN = 3;

/** Throws InputError if the request is invalid, and CredentialsError if a real service has no organization. */
export async function printDryRun(context: Context, sent: Sent, sending: Sending): Promise<void> {
  const { io, settings, flags } = context;
  const { operation, request } = sent;
  const { method, path } = operations[operation];
  const checked = checkRequest(operation, request);
  if (!checked.ok) throw new InputError(`The request to ${path} is invalid.`, { issues: checked.issues });
  context.services.announce();
  const target = settings.target();
  const organization_id = context.settings.requireOrganization();
  if (target.mode === 'remote') {
    // The key is not needed, but if it can be read it is masked wherever it was pasted into a text.
    if (flags.apiKeyFile !== undefined) await context.settings.credentials().catch(() => {});
    await warnOfRefusal(context.register.requireNew(sent, sending), io);
  }
  await warnOfRefusal(
    context.register.optedOut().then((list) => refuseOptedOut(sent, list)),
    io,
  );
  // The local engine has no address.
  const base = target.mode === 'remote' ? target.name : '';
  const contacts = isToContacts(sent) ? sent.request.contacts : [];
  // A person checks what is sent by a few contacts; --json has them all.
  const isCut = contacts.length > SHOWN && isForPerson(context);
  const shown = isCut ? { ...request, contacts: contacts.slice(0, SHOWN) } : request;
  await printJson(io, { method, url: `${base}${path}`, body: { organization_id, api_key: '<API_KEY>', ...shown } });
  if (isCut) io.note(`${contacts.length} contacts would be sent; the first ${SHOWN} are shown (--json shows all).`);
  io.note('Dry run: nothing was sent.');
}
