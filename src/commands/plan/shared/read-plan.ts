/** Reads what `plan create` was given: whom to call, by what rules. */

import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { PlainCommand } from '../../../cli/flags/plain-command.ts';
import type { OptionsOf } from '../../../cli/flags/values.ts';
import { filled, identifier, repeated, writtenNumber } from '../../../cli/flags/values.ts';
import { sourceName } from '../../../cli/terminal/io.ts';
import { complete } from '../../../cli/terminal/prompt.ts';
import { requireDialable } from '../../../contacts/numbers/dialable.ts';
import type { Whereabouts } from '../../../contacts/zones/zones.ts';
import type { Context } from '../../../context.ts';
import { InputError, UsageError } from '../../../errors.ts';
import { hasCommonHour } from '../../../plans/rules/calendar.ts';
import type { Place, PlanDraft } from '../../../plans/rules/plan.ts';
import { type PlanRules, type WeeklyHours, ZONE_OF_CONTACT } from '../../../plans/rules/rules.ts';
import { countriesOfNobody } from '../../../plans/rules/skip-dates.ts';
import { LONGEST_PLAN_NAME } from '../../../plans/rules/waves.ts';
import { callableWindow } from '../../../plans/rules/window.ts';
import { withoutOtherPlans } from '../../../plans/run/other-plans.ts';
import type { Drafted } from '../../../plans/run/prospect.ts';
import type { KeptRows } from '../../../text/kept-rows.ts';
import type { ContactOptions } from '../../shared/contacts.ts';
import { readContacts, unusableRows } from '../../shared/contacts.ts';
import { noteReport } from '../../shared/contacts-report.ts';
import type { GuardOptions } from '../../shared/guard-flags.ts';
import { readPhone, requireCountry } from '../../shared/phone.ts';
import { isId } from '../../shared/pick.ts';
import { askActiveAgent, askCallingNumber, askContactsFile } from '../../shared/questions.ts';
import { PlacedRows } from './placed-rows.ts';
import { planPorts } from './ports.ts';
import { type RuleOptions, requireOthers, rulesFrom } from './rule-flags.ts';

const FLAGS = {
  name: ['--name <text>', "the plan's name; each wave has it and a number", planName],
  agent: ['--agent <id>', 'agent that calls (vagent agent list)', identifier],
  from: [
    '--from <number>',
    "one of the organization's agent numbers; repeated, waves take turns",
    repeated(writtenNumber),
  ],
  contacts: ['--contacts <file>', 'CSV of contacts, or - for standard input', filled],
  probe: ['--probe <number>', 'instead of contacts: your own number, to test the service', writtenNumber],
} as const;

export type PlanOptions = RuleOptions & ContactOptions & GuardOptions & OptionsOf<typeof FLAGS>;

export function addPlanFlags(command: PlainCommand): PlainCommand {
  return command.takesFlags(FLAGS, 'Plan');
}

export interface ReadPlan extends Drafted {
  /** The original rows. */
  rows: KeptRows | undefined;
  /** The file's name on the command line and the SHA-256 of its bytes; undefined for the local engine. */
  contactsFile: { name: string; sha256: string } | undefined;
}

/** Asks for what is missing, and checks every contact. Throws UsageErrors and InputErrors. */
export async function readPlan(options: PlanOptions, context: Context): Promise<ReadPlan> {
  const { io, settings } = context;
  if (options.country !== undefined) await requireCountry(options.country);
  requireOneZone(options);
  const country = options.country ?? settings.profile()?.country;
  const from = options.from && (await readCallers(options.from, country, context));
  const window = options.window === undefined ? undefined : callableWindow(options.window);
  const own = settings.profile()?.from;
  const given = {
    name: options.name,
    agent: options.agent ?? settings.profile()?.agent_id,
    caller: from?.[0] ?? own,
    path: options.contacts,
    window,
  };
  const answers = await complete(io, given, {
    name: { flag: '--name', message: 'Name of the plan', parse: planName },
    agent: askActiveAgent(context),
    caller: askCallingNumber(context, { country, hasCountryFlag: true }),
    path: askContactsFile('--contacts'),
    window: {
      flag: '--window',
      message: 'Local hours of calls',
      hint: 'such as 09:00-20:00',
      parse: (text: string): WeeklyHours => callableWindow(text.trim()),
    },
  });
  const callers = from ?? [answers.caller];
  for (const caller of callers) await requireDialable(caller, '--from');
  const createdAt = await context.clock.now();
  const rules = await rulesFrom(options, { window: answers.window, excludeCountry: country }, createdAt);
  const asked = { plan_name: answers.name, agent_id: answers.agent, from: callers, rules, createdAt };
  const people = await readPeople(answers.path, options, asked, context);
  requireOthers(options, people.contacts.length);
  const { places, ...rest } = people;
  warnOfDaysOfNobody(options.skipDates, rules, people, context);
  const contactsFile = answers.path === '-' ? undefined : resolve(answers.path);
  return { ...rest, draft: { ...asked, ...targetOf(context), places, contactsFile } };
}

/** A day of a country where nobody is may stand there by mistake. */
function warnOfDaysOfNobody(
  path: string | undefined,
  rules: PlanRules,
  { places, placeOf }: { places: readonly Place[]; placeOf: ArrayLike<number> },
  { io }: Context,
): void {
  const inUse = [...new Set(Array.from(placeOf))].map((place) => places[place] as Place);
  const countries = countriesOfNobody(rules, inUse);
  if (countries.length > 0) io.warn(`${path}: no contact is in ${countries.join(', ')}: those days hold for nobody.`);
}

/** Throws UsageError if two flags say whose hours count. */
function requireOneZone({ zone = ZONE_OF_CONTACT, zoneColumn }: PlanOptions): void {
  if (zone === ZONE_OF_CONTACT || zoneColumn === undefined) return;
  throw new UsageError(`--zone ${zone} holds for all, and --zone-column names a zone for each: give one of them.`);
}

/** Where the plan calls. */
export function targetOf({ settings }: Context): Pick<PlanDraft, 'service' | 'isLocal' | 'organization_id'> {
  const target = settings.target();
  return {
    service: target.mode === 'remote' ? target.name : settings.storeKey(),
    isLocal: target.mode === 'local',
    organization_id: settings.requireOrganization(),
  };
}

export async function readCallers(
  given: readonly string[],
  country: string | undefined,
  { io }: Context,
): Promise<string[]> {
  const numbers: string[] = [];
  for (const text of given) {
    const number = await readPhone(text, { place: '--from', country, hasCountryFlag: true }, io);
    if (numbers.includes(number)) throw new UsageError(`--from ${number} is given twice.`);
    numbers.push(number);
  }
  return numbers;
}

async function readPeople(
  path: string,
  options: PlanOptions,
  { plan_name, agent_id, from, rules, createdAt }: Omit<PlanDraft, 'places' | keyof ReturnType<typeof targetOf>>,
  context: Context,
) {
  const { io, settings } = context;
  const hasRegister = settings.isRemote();
  const placed = new PlacedRows((where) => placeOf(where, rules));
  const checked = await readContacts(
    path,
    {
      ...options,
      exclude: [...rules.exclude],
      flag: '--contacts',
      keepsContacts: true,
      hashes: hasRegister,
      acceptsZones: (zones, country) =>
        hasCommonHour(rules, placeOf({ zones, country: country ?? null }, rules), createdAt),
      leaveOut: options.excludeSent
        ? async (all) => {
            const request = { campaign_name: plan_name, agent_id, call_from: from[0] as string, contacts: all };
            const sent = hasRegister ? await context.register.withoutSent(request) : undefined;
            const rest = await withoutOtherPlans(sent?.contacts ?? all, planPorts(context));
            placed.keepThoseOf(rest.contacts, all);
            return { contacts: rest.contacts, leftOut: [...(sent?.leftOut ?? []), ...rest.leftOut] };
          }
        : undefined,
      accepted: placed,
    },
    context,
  );
  const { report, unusable, contacts, sha256 } = checked;
  if (unusable > 0) throw unusableRows(path, checked, 'nothing was written');
  if (options.excludeSent && !hasRegister) {
    io.note('--exclude-sent leaves out only those in other plans: the local engine has no register.');
  }
  noteReport(report, path, io);
  if (contacts.length === 0) {
    throw new InputError(`${sourceName(path)}: none of ${report.rows} rows is left to be called.`);
  }
  const contactsFile = sha256 === undefined ? undefined : { name: path, sha256 };
  return { contacts, contactsFile, places: placed.places, placeOf: placed.placeOf, rows: placed.rows };
}

/** Where one zone holds for all, it does not matter where a number is; its country still has its holidays. */
function placeOf({ zones, country }: Whereabouts, { zone }: PlanRules): Place {
  return { zones: zone === ZONE_OF_CONTACT ? zones : [zone], country };
}

/** Throws InvalidArgumentError if nobody could name the plan by it, or if waves could not be called by it and a number. */
function planName(text: string): string {
  const { length } = [...filled(text)];
  if (isId(text.trim())) {
    throw new InvalidArgumentError('It must be more than a number: other commands take a number for the id of a plan.');
  }
  if (length <= LONGEST_PLAN_NAME) return text;
  throw new InvalidArgumentError(
    `It must have at most ${LONGEST_PLAN_NAME} characters, not ${length}: each wave is called by it and a number.`,
  );
}
