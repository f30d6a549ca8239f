import { agentPages } from '../calls/paging/agents.ts';
import { hintOf } from '../cli/terminal/advice.ts';
import type { Io } from '../cli/terminal/io.ts';
import { cell, printList } from '../cli/terminal/output.ts';
import type { Context } from '../context.ts';
import type { Finding } from '../doctor/diagnose.ts';
import type { CommandModule } from './shared/command.ts';

interface Options {
  tidy?: boolean;
}

export const command: CommandModule = {
  notes:
    'Checks the settings, the zone data, file modes, the connection to the service, the key, the defaults of the profile and ' +
    'the clock, and says how to fix what is wrong. It places no call and changes nothing. The exit code is the ' +
    'highest of what failed, else 0.\n\n' +
    'An earlier vagent kept the register and the plans in files. They are brought into a database by the first ' +
    'command that looks at them, and stay beside it until --tidy removes them, if the register is in order.',
  examples: ['vagent doctor', 'vagent doctor --profile work --verbose', 'vagent doctor --json', 'vagent doctor --tidy'],
  exits: 'reading',
  lists: true,
  takes: (command) => command.option('--tidy', 'remove the files of a register that an earlier vagent kept'),
  run,
};

const COLUMNS = ['name', 'status', 'message', 'hint', 'exit_code'];

async function run(context: Context, { tidy = false }: Options): Promise<void> {
  const { io, flags } = context;
  const { diagnose } = await import('../doctor/diagnose.ts');
  const wantsLines =
    !flags.json && flags.fields === undefined && flags.sort === undefined && (flags.output ?? 'table') === 'table';
  const checks: Omit<Finding, 'what'>[] = [];
  // Each finding is shown at once: a service that does not answer takes its time.
  for await (const finding of diagnose(context, tidy, { hintOf: (error) => hintOf(error, flags), agentPages })) {
    if (wantsLines) await io.styled(linesOf(finding, io));
    const { what: _what, ...check } = finding;
    checks.push(check);
  }
  context.line.exitCode = Math.max(...checks.map(({ exit_code }) => exit_code ?? 0));
  if (wantsLines) return;
  await printList(context, { ok: context.line.exitCode === 0, checks }, 'checks', { columns: COLUMNS });
}

const MARKS = { ok: '✓', failed: '✗', skipped: '-' };
/** Green, red and dim. */
const COLOURS = { ok: 32, failed: 31, skipped: 2 };

function linesOf({ status, what, message, hint }: Finding, io: Io): string {
  const mark = io.colorsStdout ? `\u001b[${COLOURS[status]}m${MARKS[status]}\u001b[0m` : MARKS[status];
  const advice = hint === null ? '' : `  → ${cell(hint)}\n`;
  return `${mark} ${what}: ${cell(message)}\n${advice}`;
}
