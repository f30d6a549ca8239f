/** Reads what `plan create` was given: whom to call, by what rules. */

import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { PlainCommand } from '../../../cli/flags/plain-command.ts';
import type { OptionsOf } from '../../../cli/flags/values.ts';
import { filled, identifier, repeated, writtenNumber } from '../../../cli/flags/values.ts';
import { sourceName } from '../../../cli/terminal/io.ts';
import { complete, missingOf, orAsk } from '../../../cli/terminal/prompt.ts';
import { requireDialable } from '../../../contacts/numbers/dialable.ts';
import { OriginalRows } from '../../../contacts/original-rows.ts';
import type { Context } from '../../../context.ts';
import type { Contact } from '../../../contract.ts';
import { InputError, UsageError } from '../../../errors.ts';
import { hasCommonWindow } from '../../../plans/rules/calendar.ts';
import type { Place, PlanDraft } from '../../../plans/rules/plan.ts';
import { DEFAULTS, ZONE_OF_CONTACT } from '../../../plans/rules/rules.ts';
import { LONGEST_PLAN_NAME } from '../../../plans/rules/waves.ts';
import { callableWindow, parseWindow } from '../../../plans/rules/window.ts';
import { withoutOtherPlans } from '../../../plans/run/other-plans.ts';
import { type Drafted, placeBy, placesOf } from '../../../plans/run/prospect.ts';
import type { KeptRows } from '../../../text/kept-rows.ts';
import { counted } from '../../../text/numbers.ts';
import { MINUTE } from '../../../text/units.ts';
import {
  type ContactOptions,
  readContacts,
  readFirst,
  requireContactFlags,
  unusableRows,
} from '../../shared/contacts.ts';
import { noteReport } from '../../shared/contacts-report.ts';
import type { GuardOptions } from '../../shared/flags.ts';
import { readPhone, requireCountry } from '../../shared/phone.ts';
import { isId } from '../../shared/pick.ts';
import { askActiveAgent, askCallingNumber, askContactsFile } from '../../shared/questions.ts';
import { zoneFor } from '../../shared/times.ts';
import { planPorts } from '../shared/open-plan.ts';
import { period, type RuleOptions, requireOthers, rulesFrom, warnOfSkipDates } from '../shared/rule-flags.ts';

const FLAGS = {
  name: ['--name <text>', "the plan's name; each wave has it and a number", planName],
  agent: ['--agent <id>', 'agent that calls (vagent agent list)', identifier],
  from: [
    '--from <number>',
    "one of the organization's agent numbers; repeated, waves take turns",
    repeated(writtenNumber),
  ],
  contacts: ['--contacts <file>', 'CSV or .xlsx of contacts, or - for standard input', filled],
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
  /** In which its times are shown: what was said of it. */
  timezone?: string | undefined;
}

/** Asks for what is missing, and checks every contact. Throws UsageErrors and InputErrors. */
export async function readPlan(written: PlanOptions, context: Context): Promise<ReadPlan> {
  const { io, settings } = context;
  const { start, end, ...untimed } = written;
  const { zone = ZONE_OF_CONTACT, zoneColumn, window } = untimed;
  if (untimed.country !== undefined) await requireCountry(untimed.country);
  if (zone !== ZONE_OF_CONTACT && zoneColumn !== undefined)
    throw new UsageError(`--zone ${zone} holds for all, and --zone-column names a zone for each: give one of them.`);
  const { agent, from } = await readCallers(untimed, context);
  for (const number of from ?? []) await requireDialable(number, '--from');
  const hours = window === undefined ? undefined : callableWindow(window);
  const createdAt = await context.clock.now();
  // The flags are read before the first question, and the file before the next.
  requireContactFlags(untimed, context);
  await rulesFrom(untimed, { window: hours ?? parseWindow('00:00-24:00'), excludeCountry: undefined }, createdAt);
  const times = { '--start': start, '--end': end };
  const timezone = await zoneFor({ timezone: untimed.timezone, times, now: () => createdAt }, context);
  const given = { ...written, ...(timezone !== undefined && { timezone }) };
  await period(given, createdAt);
  const questions = {
    path: askContactsFile('--contacts'),
    name: { flag: '--name', message: 'Name of the plan', parse: planName },
    agent: askActiveAgent(context),
    caller: askCallingNumber(context, { country: given.country ?? settings.profile()?.country, hasCountryFlag: true }),
    window: {
      flag: '--window',
      message: 'Local hours of calls',
      hint: 'such as 09:00-20:00',
      parse: (text: string) => callableWindow(text.trim()),
    },
  };
  const known = {
    ...{ path: given.contacts, name: given.name, agent, window: hours },
    caller: from?.[0] ?? settings.profile()?.from,
  };
  const missing = missingOf(io, known, questions);
  const path = await orAsk(io, known.path, questions.path);
  const isAsked = missing.some((name) => name !== 'path');
  const options = isAsked ? await readFirst(path, { ...given, near: from }, NOTHING, context) : given;
  const answers = await complete(io, { ...known, path }, questions);
  const callers = from ?? [answers.caller];
  for (const caller of callers) await requireDialable(caller, '--from');
  const asked = { plan_name: answers.name, agent_id: answers.agent, from: callers, createdAt };
  const country = options.country ?? settings.profile()?.country;
  const rules = await rulesFrom(options, { window: answers.window, excludeCountry: country }, createdAt);
  const { places, asRead, contactsForm, ...people } = await readPeople(path, options, { ...asked, rules }, context);
  requireOthers(options, people.contacts.length);
  const inUse = [...new Set(people.placeOf)].map((index) => places[index] as Place);
  warnOfSkipDates(options.skipDates, rules, inUse, context);
  const contactsFile = path === '-' ? undefined : resolve(path);
  // The lists are read again before each wave, as they were now.
  const { encoding } = asRead;
  const kept = { ...rules, excludeCountry: asRead.country ?? country, ...(encoding && { excludeEncoding: encoding }) };
  const draft = { ...asked, rules: kept, ...targetOf(context), places, contactsFile, contactsForm };
  return { ...people, draft, timezone };
}

/** What is said of a file that is refused. */
const NOTHING = 'nothing was written';

/** Where the plan calls. */
function targetOf({ register }: Context): Pick<PlanDraft, 'service' | 'isLocal' | 'organization_id'> {
  const { service, isLocal, organizationId } = register.target();
  return { service, isLocal, organization_id: organizationId };
}

/** The agent and the numbers that were named, and the country of numbers in national form. */
async function readCallers(options: Pick<PlanOptions, 'agent' | 'from' | 'country'>, { io, settings }: Context) {
  const country = options.country ?? settings.profile()?.country;
  const numbers: string[] = [];
  for (const text of options.from ?? []) {
    const number = await readPhone(text, { place: '--from', country, hasCountryFlag: true }, io);
    if (numbers.includes(number)) throw new UsageError(`--from ${number} is given twice.`);
    numbers.push(number);
  }
  return { agent: options.agent ?? settings.profile()?.agent_id, from: options.from && numbers, country };
}

/** With where each contact may be. */
class PlacedRows extends OriginalRows {
  wheres: Place[] = [];

  override begin(...head: Parameters<OriginalRows['begin']>): void {
    super.begin(...head);
    this.wheres = [];
  }

  override row(cells: readonly string[], _contact?: Contact, where: Place = { zones: [], country: null }): void {
    super.row(cells);
    this.wheres.push(where);
  }

  override keepThoseOf(left: readonly Contact[], all: readonly Contact[]): void {
    super.keepThoseOf(left, all);
    const those = new Set(left);
    this.wheres = this.wheres.filter((_where, row) => those.has(all[row] as Contact));
  }
}

async function readPeople(
  path: string,
  options: PlanOptions,
  { plan_name, agent_id, from, rules, createdAt }: Omit<PlanDraft, 'places' | keyof ReturnType<typeof targetOf>>,
  context: Context,
) {
  const { io, settings } = context;
  const hasRegister = settings.isRemote();
  const placed = new PlacedRows();
  const checked = await readContacts(
    path,
    {
      ...options,
      exclude: [...rules.exclude],
      flag: '--contacts',
      keepsContacts: true,
      hashes: hasRegister,
      acceptsZones: (zones, country) =>
        hasCommonWindow(rules, placeBy(rules, { zones, country: country ?? null }), createdAt),
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
      near: from,
    },
    context,
  );
  const { report, unusable, contacts, sha256, options: asRead, advice: hint } = checked;
  if (unusable > 0) throw unusableRows(path, checked, NOTHING);
  if (options.excludeSent && !hasRegister) {
    io.note('--exclude-sent leaves out only those in other plans: the simulator has no register.');
  }
  noteReport(report, path, io);
  if (contacts.length === 0) {
    throw new InputError(`${sourceName(path)}: none of ${counted(report.rows, 'row')} is left to be called.`, { hint });
  }
  const contactsFile = sha256 === undefined ? undefined : { name: path, sha256 };
  const { sheet, delimiter, encoding } = report;
  const contactsForm = sheet === undefined ? { delimiter, encoding } : undefined;
  return { asRead, contacts, contactsFile, contactsForm, ...placesOf(placed.wheres, rules), rows: placed.rows };
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

// A plan of one call to whoever makes it, which shows how the service keeps to what it is told. ------------------------------

/** Long enough for the call to be seen to wait for its time. */
const AHEAD = 5 * MINUTE;

export async function readProbe(options: PlanOptions, context: Context): Promise<ReadPlan> {
  const { probe = '', contacts, window } = options;
  if (contacts !== undefined) throw new UsageError('--probe is instead of contacts: it calls one number, your own.');
  if (window !== undefined) throw new UsageError('--probe has no --window: it is called five minutes from now.');
  const { io, settings } = context;
  const where = { country: options.country ?? settings.profile()?.country, hasCountryFlag: true };
  const phone_number = await readPhone(probe, { place: '--probe', ...where }, io);
  const { agent, from } = await readCallers(options, context);
  const answers = await complete(
    io,
    { agent, caller: from?.[0] ?? settings.profile()?.from },
    { agent: askActiveAgent(context), caller: askCallingNumber(context, where) },
  );
  const createdAt = await context.clock.now();
  const rules = {
    ...{ ...DEFAULTS, window: parseWindow('00:00-24:00'), zone: 'UTC', skipDates: [], exclude: [] },
    ...{ start: createdAt + AHEAD, maxAttempts: 1, retry: {}, stopOn: undefined, isProbe: true },
    firstLook: options.lookFor ?? DEFAULTS.firstLook,
  };
  const callers = from ?? [answers.caller];
  const plan = { plan_name: options.name ?? 'Probe', agent_id: answers.agent, from: callers, rules, createdAt };
  const draft = { ...plan, ...targetOf(context), places: [{ zones: ['UTC'], country: null }] };
  return { draft, contacts: [{ phone_number }], placeOf: [0], rows: undefined, contactsFile: undefined };
}
