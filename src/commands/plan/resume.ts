import { connectionFlags } from '../../cli/flags/global.ts';
import { filled, repeated } from '../../cli/flags/values.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { unclearByStatus } from '../../plans/rows/history.ts';
import type { PlanSession } from '../../plans/rows/stored-plan.ts';
import { type Runs, runsOf } from '../../plans/rules/events.ts';
import { unaffordableBy } from '../../plans/rules/halts.ts';
import { changeWhenFree } from '../../plans/run/change.ts';
import { planRecord } from '../../plans/run/record.ts';
import { shellWord } from '../../text/shell.ts';
import type { CommandModule } from '../shared/command.ts';
import type { Word } from '../shared/pick.ts';
import { requireGoingOn } from './shared/going-on.ts';
import { openPlan, portsWithoutDelay, takesPlan } from './shared/open-plan.ts';
import { countsOf, printChanged, statusInWords, unclearInWords } from './shared/plan-words.ts';

interface Options {
  recallUnseen?: true;
  recallStatus?: string[];
}

export const command: CommandModule = {
  notes: `
For a plan that was stopped, or that stopped itself. It calls nobody: plan run does. A plan that waits for a look at its first
wave goes on with vagent plan approve.

Contacts whose call was never seen are unseen: nobody knows whether their phone rang, so they are left alone. --recall-unseen
has them called again if they have attempts left. A contact whose call has a status that the service's interface does not name
may have been reached: such contacts are called again only if --recall-status names the status, for whoever has looked at calls
that have it (vagent logs list --status).`,
  examples: ['vagent plan resume Spring', 'vagent plan resume 1 --recall-unseen'],
  exits: 'offline',
  takes: (command) =>
    takesPlan(command)
      .option('--recall-unseen', 'call those again whose call was never seen')
      .option(
        '--recall-status <status>',
        'and those whose call has this status, which is none of the interface; repeated for several',
        repeated(filled),
      ),
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  const { io, flags } = context;
  const { recallUnseen, recallStatus = [] } = options;
  const recalls = recallUnseen === true || recallStatus.length > 0;
  const { stored, now } = await openPlan(word, context);
  const change = async (session: PlanSession) => {
    const { loaded } = session;
    const { plan, position } = loaded;
    requireGoingOn(loaded, recalls, now, flags);
    const isApproval = position.state === 'waiting';
    const unclear = await unclearByStatus(stored.rows, loaded);
    const rows = rowsNamed(unclear, recallStatus);
    const resumed = {
      event: 'resumed',
      at: now,
      ...(recalls && { recalls }),
      ...(rows.length > 0 && { rows }),
    } as const;
    if (position.state === 'open' && !recalls) io.note(`Plan ${plan.plan_id} is open already.`);
    else await session.commit([resumed]);
    if (isApproval) {
      io.note(
        `Plan ${plan.plan_id} waited for a look at its first wave: next time, vagent plan approve ${plan.plan_id}.`,
      );
    }
    if (recalls) noteLeftAlone(unclear, recallStatus, context);
    const spent = unaffordableBy(loaded);
    if (spent !== undefined) io.warn(`${spent} The next run stops the plan again.`);
    return planRecord(loaded, now);
  };
  const record = await changeWhenFree(stored, change, portsWithoutDelay(context));
  await printChanged(record, now, context);
  io.note(`Nobody is called until: vagent plan run ${record.plan_id}${connectionFlags(flags)}`);
}

/** The contacts whose call has one of the statuses. Throws UsageError for a status that none has. */
function rowsNamed(unclear: ReadonlyMap<string, readonly number[]>, statuses: readonly string[]): Runs {
  const strange = statuses.find((status) => !unclear.has(status));
  if (strange !== undefined) {
    const known = [...unclear.keys()].map(statusInWords).join(', ');
    throw new UsageError(`--recall-status: no contact of the plan waits with the status ${statusInWords(strange)}.`, {
      hint: known === '' ? 'All statuses of its calls are those of the interface.' : `There are: ${known}`,
    });
  }
  const rows = statuses.flatMap((status) => unclear.get(status) ?? []);
  return runsOf(rows.sort((one, other) => one - other));
}

function noteLeftAlone(
  unclear: ReadonlyMap<string, readonly number[]>,
  recalled: readonly string[],
  { io, flags }: Context,
) {
  const left = new Map([...unclear].filter(([status]) => !recalled.includes(status)));
  const said = unclearInWords(countsOf(left));
  if (said === undefined) return;
  const status = shellWord([...left.keys()][0] ?? '');
  const before = `Look first: vagent logs list --status ${status}${connectionFlags(flags)}`;
  io.warn(
    `${said} Nobody is called again for it. ${before}; then plan resume --recall-status ${status} has them called again.`,
  );
}
