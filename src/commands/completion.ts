import { SHELLS, type Shell } from '../cli/completion/request.ts';
import { oneOf } from '../cli/flags/values.ts';
import { printList } from '../cli/terminal/output.ts';
import { requireYes } from '../cli/terminal/prompt.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { CommandModule } from './shared/command.ts';

const INSTALL = 'install';
type Action = Shell | typeof INSTALL;

export const command: CommandModule = {
  notes: `
Tab completes commands, flags and their values: agents, voices, profiles, campaigns, your numbers, recent calls. A service is
asked for a list once a minute, and the list is kept in the state folder, without the key. A service that does not answer at
once is not waited for: its list is there when Tab is pressed again. An api_key_command is not run, so the lists of a profile
with one are missing. Tab asks nothing, changes nothing at a service or in a store, and never makes a phone ring.

With the name of a shell, the script is printed. \`${INSTALL}\` writes it to the place where your shell looks for such scripts,
adds a line to the shell's startup file where that is needed, and says both before it does so.`,
  examples: ['vagent completion bash', 'vagent completion install fish --yes'],
  exits: 'offline',
  takes: (command) =>
    command
      .argument('<shell>', `${SHELLS.join(', ')}: print its script; or ${INSTALL}`, oneOf([...SHELLS, INSTALL]))
      .argument('[name]', `the shell to ${INSTALL} it for (default: yours)`, oneOf(SHELLS)),
  run,
};

async function run(context: Context, action: Action, name: Shell | undefined): Promise<void> {
  if (action === INSTALL) return install(name, context);
  if (name !== undefined)
    throw new UsageError(`${name} is too much.`, { hint: `vagent completion ${INSTALL} ${name}` });
  const { scriptFor } = await import('./completion/scripts.ts');
  await context.io.data(await scriptFor(action));
}

async function install(name: Shell | undefined, context: Context): Promise<void> {
  const { io, flags } = context;
  const { env } = context.settings;
  const { make, missingChanges, ownShell, scriptFor } = await import('./completion/scripts.ts');
  const shell = name ?? ownShell(env);
  const changes = missingChanges(shell, await scriptFor(shell), env);
  if (changes.length > 0 && !flags.yes) {
    if (!io.canAsk) throw new UsageError(`Installing completion writes to your shell's files: it needs --yes.`);
    for (const { path, text, kind } of changes) {
      io.error(kind === 'line added' ? `To ${path} this line is added:\n  ${text}` : `${path} is ${kind}.`);
    }
    await requireYes(io, `Install completion for ${shell}?`, 'Nothing was changed.');
  }
  for (const change of changes) make(change);
  const files = changes.map(({ path, kind }) => ({ file: path, change: kind }));
  await printList(context, { shell, files }, 'files', { columns: ['file', 'change'] });
  io.note(
    changes.length === 0
      ? `Completion for ${shell} is installed already.`
      : `Completion for ${shell} is installed: open a new terminal to use it.`,
  );
}
