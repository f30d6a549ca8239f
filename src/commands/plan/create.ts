import { requireActiveAgent } from '../../calls/paging/agents.ts';
import { connectionFlags } from '../../cli/flags/global.ts';
import { filled } from '../../cli/flags/values.ts';
import { factLinesIn, isForPerson, printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { OutputClosed } from '../../cli/terminal/standard-output.ts';
import type { Context } from '../../context.ts';
import { inFull, reworded, VagentError } from '../../errors.ts';
import { createPlan, planIds } from '../../plans/rows/plans.ts';
import { forecast } from '../../plans/rules/forecast.ts';
import type { LoadedPlan } from '../../plans/rules/plan.ts';
import { rememberNamed } from '../../plans/run/do-not-call.ts';
import { requireInNoOtherPlan } from '../../plans/run/other-plans.ts';
import { serviceNow } from '../../plans/run/ports.ts';
import { type FirstWave, firstWave, prospectOf } from '../../plans/run/prospect.ts';
import { isoTime } from '../../text/iso.ts';
import { counted } from '../../text/numbers.ts';
import { timeAndDistance } from '../../text/when.ts';
import { changedZones, OWN_RELEASE } from '../../text/zone-changes.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { addContactFlags, withFile, ZONE_COLUMN } from '../shared/contacts.ts';
import { optedOutLine } from '../shared/contacts-report.ts';
import { addGuardFlags } from '../shared/flags.ts';
import { addPlanFlags, type PlanOptions, type ReadPlan, readPlan, readProbe } from './create/read-plan.ts';
import { rulesInWords } from './shared/draw-rules.ts';
import { editCommand } from './shared/going-on.ts';
import { heldBackInWords } from './shared/held-back-words.ts';
import { planPorts } from './shared/open-plan.ts';
import { goingOnInWords } from './shared/plan-words.ts';
import { addRuleFlags } from './shared/rule-flags.ts';
import { warnOfTimer } from './shared/timers.ts';

type Options = PlanOptions & { dryRun?: true };

export const command: CommandModule = {
  notes: `
A plan keeps the contacts on this machine and sends them in short campaigns, its waves, each made of people who may be
called at once. It calls nobody by itself: vagent plan run does, as often as it is run. vagent help plans has the model, and
plan rehearse shows what would happen.

The window holds where each contact is: in every time zone in which its number may be, or that a column names. A row without an
hour in common is a problem of that row. It holds by the service's clock and by this machine's: where they are more than ten
minutes apart, no plan is made and no wave is sent. The lists of --exclude are read again before each wave; the file of
--skip-dates is read once, now. A day with a country, such as 2026-12-25 DE, holds for whoever may be there: by the number, or
by a time zone.

--max-per-number and --min-gap count every attempt that the register or the log of calls shows: those of other plans, of
campaigns, of vagent call and of others. --from-cap counts the calls of this plan alone. Who opted out is called by nothing on
this machine any more, on that service: before its first wave, and then once a day, a plan looks in the log for those who did, in
whatever was sent to its numbers from here, however long ago.

Numbers that another plan of the same service and organization has, and is not done with, count as sent before: without --again
they are refused, and --exclude-sent leaves them out.

expected_finish is when everybody would have been called once, at the pace, within the hours and by what --from-cap allows;
retries come on top of it.

--probe makes a plan of one contact, your own number, that is called five minutes later, once. Run it as any plan: when the call was
seen, it waits two hours (--look-for) for others that may still come, and then says whether the service kept to the start time and
made no retries; if it did not, the plan is stopped. --canary ends with such a verdict too.`,
  examples: [
    'vagent plan create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv --window 09:00-20:00',
    'vagent plan create --name Recall --agent 1 --from +14155550100 --contacts contacts.csv ' +
      '--window mon-fri=09:00-20:00,sat=10:00-16:00 --retry busy=30m,no_answer=4h,voicemail=1d --max-attempts 4 ' +
      '--max-per-number 3/24h --budget 150 --price-per-minute 0.10',
    'vagent plan create --agent 1 --from +14155550100 --probe +14155550190',
  ],
  exits: 'reading',
  operation: 'getAgents',
  rare: {
    flags: [
      ...['--probe', '--zone', '--skip-dates', '--timezone', '--wave', '--max-per-number', '--min-gap', '--from-cap'],
      ...['--opt-out', '--expected-longest', '--stop-on', '--look-for', '--zone-column', '--map', '--instruction'],
      ...['--identifier', '--duplicates', '--skip-invalid', '--rejects', '--encoding', '--delimiter', '--header-line'],
    ],
    more: 'All rules: vagent help plans. All flags of lists: vagent help contacts',
  },
  takes(command) {
    command.argument('[contacts]', 'the same as --contacts <file>', filled);
    addRuleFlags(addPlanFlags(command)).takesFlags(ZONE_COLUMN, 'Contacts');
    addContactFlags(addGuardFlags(command)).option(
      '--dry-run',
      'check everything, show the first wave, and write nothing',
    );
  },
  run,
};

async function run(context: Context, file: string | undefined, given: Options): Promise<void> {
  const options = withFile(file, given);
  const { io, flags, settings } = context;
  // All of these are read below.
  const kept = await context.register.rows();
  const before = new Set(await kept.read(planIds));
  const plan = options.probe === undefined ? await readPlan(options, context) : await readProbe(options, context);
  warnOfChangedClocks(plan, context);
  if (options.dryRun) {
    await requireNew(plan, options, context).catch((error: unknown) => {
      if (!(error instanceof VagentError)) throw error;
      io.warn(`this would be refused: ${inFull(error)}`);
    });
    await show(undefined, await prospectOf(plan, context), plan.timezone, context);
    io.note('Dry run: nothing was written.');
    return;
  }
  // Reads the key now, so that it is found if somebody pasted it into a text.
  if (settings.isRemote()) await settings.credentials();
  await requireNew(plan, options, context);
  const { doubt } = await requireActiveAgent(plan.draft.agent_id, await context.services.chosen());
  if (doubt !== undefined) io.warn(doubt);
  const { ahead: clockAhead } = await serviceNow(plan.draft, context, 'No plan was made.');
  const draft = { ...plan.draft, clockAhead };
  const prospect = await prospectOf({ ...plan, draft }, context);
  if (kept.isShared) rememberNamed(draft.rules.exclude, planPorts(context));
  const people = { ...plan, redact: (text: string) => io.redactor.redact(text) };
  const planId = await createPlan(kept, draft, people, async (sql) => {
    // Another that was made meanwhile, of the same people perhaps.
    if (options.probe === undefined && !options.again) {
      await requireInNoOtherPlan(plan.contacts, planPorts(context), { known: (other) => before.has(other), sql });
    }
  });
  noteNextTime(context);
  await show(planId, prospect, plan.timezone, context).catch((error: unknown) => {
    if (!(error instanceof VagentError) || error instanceof OutputClosed) throw error;
    // That it is there must not be hidden.
    throw reworded(error, {
      message: `Plan ${planId} is made, but: ${error.message}`,
      hint: `See it with vagent plan status ${planId}${connectionFlags(flags)}`,
    });
  });
  // One of an earlier register, in the same place, would run it without a question.
  if (!(await warnOfTimer(planId, context)))
    io.note(goingOnInWords('Nobody is called until it is run,', planId, flags));
  suggestNext(context, `vagent plan rehearse ${planId}`, 'what would happen');
}

function warnOfChangedClocks({ draft: { places, createdAt } }: ReadPlan, { io }: Context): void {
  const changed = changedZones(createdAt, new Set(places.flatMap(({ zones }) => zones)));
  if (changed.length === 0) return;
  const data = `the zone data of this Node.js (${OWN_RELEASE ?? 'of an unknown release'})`;
  io.warn(
    `the clocks in ${changed.join(', ')} were changed after ${data} was made: ` +
      'people who may be there are called in hours that are open by the old and by the new ones.',
  );
}

/** Throws if contacts were, or may have been, sent before, or are in other plans. A probe calls whoever makes it. */
async function requireNew({ draft, contacts, contactsFile }: ReadPlan, options: Options, context: Context) {
  const { probe, again, force, excludeSent } = options;
  if (probe !== undefined) return;
  if (!draft.isLocal) {
    const { plan_name, agent_id, from } = draft;
    const request = { campaign_name: plan_name, agent_id, call_from: from[0] as string, contacts };
    await context.register.requireNew({ operation: 'createCampaign', request }, { again, force, contactsFile });
  }
  // Those who are in other plans are left out already.
  if (!again && !excludeSent) await requireInNoOtherPlan(contacts, planPorts(context));
}

async function show(
  planId: number | undefined,
  loaded: LoadedPlan,
  zone: string | undefined,
  context: Context,
): Promise<void> {
  const { io } = context;
  const { plan_name, contacts } = loaded.plan;
  const now = loaded.plan.createdAt + (loaded.ahead ?? 0);
  const { finish } = forecast(loaded, now);
  const first = firstWave(loaded, now);
  const first_wave = isForPerson(context) ? inWords(first, now) : first;
  const expected_finish = finish === undefined ? null : isoTime(finish);
  await printRecord(context, { plan_id: planId ?? null, plan_name, contacts, first_wave, expected_finish }, { now });
  if (isForPerson(context)) {
    for (const line of ['', ...factLinesIn(rulesInWords(loaded, now, zone), io.columns)]) await io.screen(`${line}\n`);
  }
  const { excluded } = loaded.roster.counts;
  if (excluded > 0) io.warn(optedOutLine(excluded, contacts));
  for (const text of heldBackInWords(loaded, now, planId === undefined ? '' : editCommand(planId, context.flags)))
    io.warn(text);
}

function inWords(wave: FirstWave | null, now: number): string {
  if (wave === null) return 'none';
  const people = counted(wave.contacts, 'contact');
  return `${timeAndDistance(Date.parse(wave.at), now)}: ${people}, from ${wave.from}`;
}
