import { filled } from '../../cli/flags/values.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { Copied } from '../../plans/rows/copy.ts';
import { readPlace } from '../../storage/files/store-place.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';

interface Options {
  to: string;
}

export const command: CommandModule = {
  notes: `
Copies the register and the plans to another folder, or to a database of a team, and merges them with what is there: requests that
are not there are added, with numbers of their own; an outcome that is unknown there and known here is completed, never the
other way; whom nobody calls any more is on both lists. The same register can be copied again, and adds nothing then. It is one
transaction: afterwards all is there, or nothing was changed. What was forgotten there stays forgotten; what came there
without the people it called is completed by a register that still has them. Lists of campaign redial last a day, and are not
copied. The register that was copied stays as it is: from then on name the other with --register, VAGENT_REGISTER or a
profile.`,
  examples: ['vagent register copy --to kept', 'vagent register copy --register kept --to other'],
  exits: 'offline',
  takes: (command) => command.requiredOption('--to <place>', 'a folder, or postgres://user@host/db', filled),
  run,
};

async function run(context: Context, { to }: Options): Promise<void> {
  const { io, line } = context;
  const place = readPlace(to, 'register in --to');
  const [{ copyRegister }, { openRows }, { bringPlans }] = await Promise.all([
    import('../../plans/rows/copy.ts'),
    import('../../register/open-rows.ts'),
    import('../../plans/before/bring-plans.ts'),
  ]);
  const source = await context.register.rows();
  const target = await openRows({ place, command: line.command, bringPlans });
  if (target.location === source.location) throw new UsageError('--to names the register that is to be copied.');
  const { requests, plans } = await copyRegister(source, target);
  io.note(told(requests, 'request', `${requests.completed} of them completed`));
  if (requests.restored > 0)
    io.note(`Whom ${counted(requests.restored, 'request')} of them called was not known there, and is now.`);
  if (plans.added + plans.known > 0) io.note(told(plans, 'plan', `${plans.updated} of them brought up to date`));
  if (requests.unguarded.requests > 0) io.warn(unguardedText(requests.unguarded));
}

function told({ added, known }: { added: number; known: number }, noun: string, ofKnown: string): string {
  return `${counted(added, noun)} added, ${known} there already, ${ofKnown}.`;
}

function unguardedText({ requests, people }: Copied['requests']['unguarded']): string {
  const called = `${counted(people, 'person', 'people')} of ${counted(requests, 'request')}`;
  return `${called} were forgotten and not copied: no guard there stops another call to them.`;
}
