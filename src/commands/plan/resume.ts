import { connectionFlags } from '../../cli/flags/global.ts';
import { filled, repeated } from '../../cli/flags/values.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { type Runs, runsOf } from '../../plans/rules/events.ts';
import { unaffordableBy } from '../../plans/rules/halts.ts';
import type { LoadedPlan } from '../../plans/rules/plan.ts';
import { clockOf } from '../../plans/run/clock.ts';
import { planRecord } from '../../plans/run/record.ts';
import { changeWhenFree } from '../../plans/run/wait.ts';
import { isoTime } from '../../text/iso.ts';
import { shellWord } from '../../text/shell.ts';
import type { CommandModule } from '../shared/command.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { pickPlan } from './shared/pick-plan.ts';
import { countsOf, printChanged, statusInWords, unclearInWords } from './shared/plan-words.ts';
import { planPorts, portsWithoutDelay } from './shared/ports.ts';

interface Options {
  recallUnseen?: true;
  recallStatus?: string[];
}

export const command: CommandModule = {
  notes: `
For a plan that was stopped, that stopped itself, or that waits after its canary. It calls nobody: plan run does.

Contacts whose call was never seen are unseen: nobody knows whether their phone rang, so they are left alone. --recall-unseen
has them called again if they have attempts left. A contact whose call has a status that the service's interface does not name
may have been reached: such contacts are called again only if --recall-status names the status, for whoever has looked at calls
that have it (vagent logs list --status).`,
  examples: ['vagent plan resume Spring', 'vagent plan resume 1 --recall-unseen'],
  exits: 'offline',
  takes: (command) =>
    command
      .argument('[plan]', 'its id or name (default on a terminal: the only open one)', idOrName)
      .option('--recall-unseen', 'call those again whose call was never seen')
      .option(
        '--recall-status <status>',
        'and those whose call has this status, which is none of the interface; repeated for several',
        repeated(filled),
      ),
  run,
};

async function run(
  context: Context,
  word: Word | undefined,
  { recallUnseen, recallStatus = [] }: Options,
): Promise<void> {
  const { io, flags } = context;
  const recalls = recallUnseen === true || recallStatus.length > 0;
  const stored = await pickPlan(word, context);
  const now = await clockOf(await stored.load(), planPorts(context));
  const record = await changeWhenFree(
    stored,
    async (session) => {
      const { loaded } = session;
      requireResumable(loaded, recalls, now);
      const unclear = await stored.historyOf(loaded).unclearByStatus(loaded.roster);
      const rows = rowsNamed(unclear, recallStatus);
      const isOpen = loaded.position.state === 'open';
      if (isOpen && !recalls) io.note(`Plan ${loaded.plan.plan_id} is open already.`);
      else
        await session.commit([
          { event: 'resumed', at: now, ...(recalls && { recalls }), ...(rows.length > 0 && { rows }) },
        ]);
      if (recalls) noteLeftAlone(unclear, recallStatus, context);
      const spent = unaffordableBy(loaded);
      if (spent !== undefined) io.warn(`${spent} The next run stops the plan again.`);
      return planRecord(loaded, now);
    },
    portsWithoutDelay(context),
  );
  await printChanged(record, now, context);
  io.note(`Nobody is called until: vagent plan run ${record.plan_id}${connectionFlags(flags)}`);
}

/** Throws UsageError if there is nobody left to be called, or nothing may be called any more. */
function requireResumable(loaded: LoadedPlan, recallsUnseen: boolean, now: number): void {
  const { plan, position, roster } = loaded;
  const { plan_id, rules } = plan;
  if (position.state === 'cancelled') {
    throw new UsageError(`Plan ${plan_id} was cancelled: nobody of it is called again.`, {
      hint: 'vagent plan create makes another; plan results says who was not reached.',
    });
  }
  if (rules.end !== undefined && rules.end <= now) {
    throw new UsageError(`Plan ${plan_id} has ended, at ${isoTime(rules.end)}.`, {
      hint: 'vagent plan create makes another.',
    });
  }
  const spent = unaffordableBy(loaded);
  if (position.state === 'stopped' && spent !== undefined) {
    throw new UsageError(`${spent} The budget of a plan stays as it is.`, {
      hint:
        `vagent plan cancel ${plan_id} ends it, plan results ${plan_id} --state left then lists who was not reached, ` +
        'and vagent plan create makes another.',
    });
  }
  if (position.state !== 'done') return;
  if (roster.counts.unseen === 0) {
    throw new UsageError(`Plan ${plan_id} is done: nobody is left to be called.`, {
      hint: 'vagent plan create makes another.',
    });
  }
  if (recallsUnseen) return;
  throw new UsageError(`Plan ${plan_id} is done, but for ${roster.counts.unseen} whose call was never seen.`, {
    hint: '--recall-unseen has them called again.',
  });
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
  { io }: Context,
): void {
  const left = new Map([...unclear].filter(([status]) => !recalled.includes(status)));
  const said = unclearInWords(countsOf(left));
  if (said === undefined) return;
  const status = shellWord([...left.keys()][0] ?? '');
  const look = `Look first: vagent logs list --status ${status}`;
  io.warn(
    `${said} Nobody is called again for it. ${look}; then plan resume --recall-status ${status} has them called again.`,
  );
}
