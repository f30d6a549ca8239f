import { connectionFlags } from '../../cli/flags/global.ts';
import { factLines, isForPerson, printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { unaffordableBy } from '../../plans/rules/halts.ts';
import type { LoadedPlan } from '../../plans/rules/plan.ts';
import { rulesRecord } from '../../plans/rules/understood.ts';
import { type EditProspect, editPlan, prospectOfEdit } from '../../plans/run/edit.ts';
import { planRecord } from '../../plans/run/record.ts';
import { isoTimeOrNull } from '../../text/iso.ts';
import { counted } from '../../text/numbers.ts';
import { shortTime } from '../../text/when.ts';
import type { CommandModule } from '../shared/command.ts';
import { requireConsent } from '../shared/consent.ts';
import type { Word } from '../shared/pick.ts';
import { zoneFor } from '../shared/times.ts';
import { addEditFlags, changedRules, type EditOptions, hasRules, NONE } from './edit/changed-rules.ts';
import { rulesInWords } from './shared/draw-rules.ts';
import { editCommand, wayOn } from './shared/going-on.ts';
import { heldBackInWords } from './shared/held-back-words.ts';
import { openPlan, planPorts, portsWithoutDelay, takesPlan } from './shared/open-plan.ts';
import { planFacts } from './shared/plan-words.ts';
import { warnOfSkipDates } from './shared/rule-flags.ts';

export const command: CommandModule = {
  notes: `
Changes rules of a plan that is under way. It shows what each was and would be, how many contacts that frees or leaves over, and
when everybody would have been called once; then it asks, or needs --yes where nobody can answer. The change holds from the next
wave on, stands in the plan's journal, and calls nobody: a plan that is stopped stays stopped.

Calls that were sent are beyond reach. While a wave is out, a change that its calls would break is refused: wait until it is over.
More attempts, or another --retry, also hold for contacts who were called already, by the result of their last call. A new price
holds for all calls of the plan. What a plan does not know cannot be counted: --max-per-number can count no more calls, and
--from-cap no longer time, than before.

--exclude and --opt-out add to what the plan has; who is on a new list is not called from then on, and an outcome holds for calls
of before too. --canary can be changed until the first wave. --end, --skip-dates, --budget, --max-per-number, --from-cap and
--canary take none. Contacts, agent and numbers stay as they are.`,
  examples: [
    'vagent plan edit Spring --budget 200 --price-per-minute 0.10 --yes',
    'vagent plan edit Spring --window 10:00-18:00 --max-attempts 5 --retry busy=30m,no_answer=1d --yes',
    'vagent plan edit 1 --exclude never-call.txt --yes',
    'vagent plan edit 1 --end 7d --yes --json',
  ],
  exits: 'offline',
  takes: (command) => addEditFlags(takesPlan(command)),
  run,
};

async function run(context: Context, word: Word | undefined, options: EditOptions): Promise<void> {
  const { io, flags } = context;
  if (!hasRules(options)) throw new UsageError('Nothing to change: name a rule, such as --budget 200.');
  const { stored, loaded, now } = await openPlan(word, context);
  const { start, end } = options;
  const times = { '--start': start, '--end': end === NONE ? undefined : end };
  const timezone = await zoneFor({ timezone: options.timezone, times, now: () => now }, context);
  const zoned = { ...options, ...(timezone !== undefined && { timezone }) };
  const rules = await changedRules(zoned, loaded.plan, now);
  warnOfSkipDates(options.skipDates, rules, loaded.plan.places, context);
  const prospect = await prospectOfEdit(stored, loaded, rules, planPorts(context), now);
  const changes = changesInWords(loaded, prospect, now, timezone);
  if (Object.keys(changes).length === 0) {
    io.note(`Plan ${loaded.plan.plan_id} has these rules already: nothing was changed.`);
    return await show(loaded, undefined, now, context);
  }
  const facts = {
    Plan: `${loaded.plan.plan_id} ${loaded.plan.plan_name}`,
    ...changes,
    ...effectsInWords(prospect, now),
  };
  if (flags.yes) for (const line of factLines(facts, io)) io.note(line);
  else if (!io.canAsk) {
    for (const line of factLines(facts, io)) io.error(line);
    throw new UsageError('The changed rules may call more people: add --yes. Nothing was changed.');
  }
  const question = `Change the rules of plan ${loaded.plan.plan_id}?`;
  await requireConsent({ facts, question, ringsPhones: true, otherwise: 'Nothing was changed.' }, context);
  const done = await editPlan(stored, prospect.event, portsWithoutDelay(context));
  const { after } = done;
  await show(after, done, now, context);
  const { plan_id } = after.plan;
  for (const text of heldBackInWords(after, now, editCommand(plan_id, flags))) io.warn(text);
  const way = wayOn(plan_id, after.position.state) ?? {
    said: 'Nobody is called until',
    command: `vagent plan run ${plan_id}`,
  };
  io.note(`${way.said}: ${way.command}${connectionFlags(flags)}`);
}

/** Each rule that differs, with what it was and what it would be. */
function changesInWords(
  loaded: LoadedPlan,
  { after }: EditProspect,
  now: number,
  zone: string | undefined,
): Record<string, string> {
  const [before, then] = [rulesInWords(loaded, now, zone), rulesInWords(after, now, zone)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(then)])].filter(
    (name) => before[name] !== then[name],
  );
  const said = names.map((name) => [name, `${before[name] ?? without(name)}\n→ ${then[name] ?? without(name)}`]);
  const unsaid = UNSAID.filter(
    (rule) => JSON.stringify(loaded.plan.rules[rule]) !== JSON.stringify(after.plan.rules[rule]),
  );
  // Of many dates only the first are named, and some rules only matter beside others.
  if (said.length === 0 && unsaid.length > 0) said.push(['Rules', 'others than before, beside those that are shown']);
  return Object.fromEntries(said);
}

const UNSAID = ['skipDates', 'longest', 'start'] as const;

/** What holds of a rule that is not shown. */
function without(name: string): string {
  return name === 'Stops at' || name === 'Caps' ? 'as usual' : 'none';
}

function effectsInWords(prospect: EditProspect, now: number): Record<string, string> {
  const { after, freed, leftOver, beyondReach, before, later } = prospect;
  const people = (count: number) => counted(count, 'contact is', 'contacts are');
  const [was, then] = [before, later].map(({ finish, left }) => {
    const time = finish === undefined ? 'nobody' : shortTime(finish, now).trim();
    return `${time}${left === 0 ? '' : `, ${counted(left, 'contact')} never`}`;
  });
  return {
    Frees: freed === 0 ? '' : `${people(freed)}, who will be called again`,
    'Left over': leftOver === 0 ? '' : `${people(leftOver)}, who will not be called any more`,
    'Beyond reach': beyondReach === 0 ? '' : `${people(beyondReach)} on the list whose call was sent already`,
    'Budget left': unaffordableBy(after) ?? '',
    'First calls':
      (before.finish ?? later.finish) === undefined ? '' : `until ${was === then ? then : `${was}\n→ until ${then}`}`,
  };
}

async function show(
  loaded: LoadedPlan,
  prospect: EditProspect | undefined,
  now: number,
  context: Context,
): Promise<void> {
  const record = planRecord(loaded, now);
  if (isForPerson(context)) return printRecord(context, planFacts(record, now), { now });
  const { freed = 0, leftOver: left_over = 0, later } = prospect ?? {};
  const expected_finish = isoTimeOrNull(later?.finish);
  await printRecord(context, { ...record, rules: rulesRecord(loaded), freed, left_over, expected_finish }, { now });
}
