import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { connectionFlags } from '../../cli/flags/global.ts';
import { duration } from '../../cli/flags/values.ts';
import { factLines, printRecord } from '../../cli/terminal/output.ts';
import { requireYes } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { CredentialsError, InputError, NotFoundError, UsageError } from '../../errors.ts';
import { isOver, type LoadedPlan } from '../../plans/rules/plan.ts';
import { requireSameService } from '../../plans/run/ports.ts';
import type { Settings } from '../../settings/settings.ts';
import {
  type FoundTimer,
  type Place,
  type TimerSystem,
  timerSystems,
  timersFound,
} from '../../settings/timers/timers.ts';
import {
  everyInWords,
  MINUTES,
  requireOneLine,
  type Timer,
  taskLine,
  timerName,
} from '../../settings/timers/written.ts';
import { quietly } from '../../storage/files/file-system.ts';
import { isDatabase } from '../../storage/files/store-place.ts';
import { counted } from '../../text/numbers.ts';
import { shellWord } from '../../text/shell.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime, serviceFacts } from '../shared/consent.ts';
import type { Word } from '../shared/pick.ts';
import { zoneSaid } from '../shared/times.ts';
import { rulesInWords } from './shared/draw-rules.ts';
import { openPlan, pickPlan, planPorts, takesPlan } from './shared/open-plan.ts';
import { isAddress, notifyTarget, registerKey, requireSafeNotice } from './shared/timers.ts';

interface Options {
  /** Minutes. */
  every?: number;
  notify?: string;
  remove?: true;
}

/** Minutes: the shortest time between two small waves. */
const BY_DEFAULT = 10;

export const command: CommandModule = {
  notes: `
Has this machine run a plan by itself, with --quiet, as the user that you are: by a timer of systemd where user timers work,
otherwise by a line of your crontab, on macOS by an agent of launchd. It shows what it writes, and asks first; elsewhere than on a
terminal it needs --yes. From then on the plan calls people without a further question. On Windows it prints the line of
PowerShell that makes a task. Repeated, it makes the timer anew as it is said now; --remove takes it away, also when the plan is
over, for it stays there. vagent plan list and vagent doctor show the timers of this machine.

The timer has this service, organization, register and profile by their full names, and no key: one that is only in the
environment must be in a profile or a file first. What a run says goes where the system keeps it (cron mails it, systemd has a
journal, launchd writes ~/Library/Logs); --notify tells you, as it does for plan run.`,
  examples: ['vagent plan schedule Spring --yes', 'vagent plan schedule 1 --every 5m --yes'],
  exits: 'reading',
  takes: (command) =>
    takesPlan(command)
      .option('--every <duration>', `how often it is run, such as 5m or 1h (default ${BY_DEFAULT}m)`, minutes)
      .option('--notify <command|url>', 'tell of a wave that ended, a stop, a spent budget and the end', notifyTarget)
      .option('--remove', 'take the timer away'),
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  if (options.remove) return await remove(context, word);
  const { io, flags } = context;
  requireSafeNotice(options.notify, flags);
  const { loaded, now } = await openPlan(word, context);
  const { plan } = loaded;
  const timer = await timerOf(loaded, options, context);
  const { name, minutes: every } = timer;
  const line = timer.words.map(shellWord).join(' ');
  const record = { plan_id: plan.plan_id, plan_name: plan.plan_name, timer: name, every: every * 60 };
  const place = placeOf(context);
  if (place.platform === 'win32') {
    await printRecord(context, { ...record, system: 'Windows', installed: false, command: taskLine(timer) });
    return io.note(
      `Nothing was installed: have PowerShell run it. Unregister-ScheduledTask ${name} takes the task away.`,
    );
  }
  const system = await systemOf(place, plan.plan_id, context);
  const facts = {
    ...serviceFacts(context),
    Plan: `${plan.plan_id} ${JSON.stringify(plan.plan_name)}, ${counted(plan.contacts, 'contact')}`,
    ...rulesInWords(loaded, now, zoneSaid(undefined, context)),
    Run: `${everyInWords(every)} by ${system.name}, as you, and without asking again`,
    Tells: options.notify ?? 'nobody: --notify <command|url> has it tell of a stop, a spent budget and the end',
  };
  await consent(facts, system.written(timer), 'Install it?', context);
  const others = (await timersFound(place)).filter((found) => found.name === name && found.system !== system.name);
  const isNew = await system.install(timer);
  // That of before would run it twice as often.
  await takeAway(others, context);
  if (!isNew) io.note(`Plan ${plan.plan_id} is scheduled already: nothing was changed.`);
  await printRecord(context, { ...record, system: system.name, installed: true, command: line });
  if (system.name === 'systemd')
    io.note('It runs while you are logged in; loginctl enable-linger has it run after that, too.');
  io.note(`To take it away: vagent plan schedule ${plan.plan_id} --remove${connectionFlags(flags)}`);
  noteNextTime(context);
}

function placeOf({ settings, signal }: Context): Place {
  return { env: settings.env, signal, platform: process.platform };
}

/** The first that works. */
async function systemOf(place: Place, planId: number, { flags }: Context): Promise<TimerSystem> {
  for (const system of timerSystems(place)) if (await system.isThere()) return system;
  throw new UsageError('Neither user timers of systemd nor a crontab work here. Nothing was installed.', {
    hint: `Run it by other means, or stay: vagent plan run ${planId} --until-done${connectionFlags(flags)}`,
  });
}

/** Throws for a plan that is over or another service's, and for what a timer must not or cannot hold. */
async function timerOf({ plan, position }: LoadedPlan, options: Options, context: Context): Promise<Timer> {
  const { plan_id } = plan;
  const { every = BY_DEFAULT } = options;
  if (isOver(position.state))
    throw new UsageError(`Plan ${plan_id} is ${position.state}: nothing of it is run any more.`);
  requireSameService(plan, planPorts(context));
  const words = await wordsOf(plan_id, options, context);
  requireOneLine(words);
  if (words.some((word) => context.io.redactor.redact(word) !== word))
    throw new InputError('The timer would hold the API key. Nothing was installed.', { code: 'key_in_texts' });
  const about = `plan ${plan_id}, ${everyInWords(every)}`;
  return { name: timerName(plan_id, registerKey(context.settings)), about, minutes: every, words };
}

/** Of a plan that is forgotten its number is enough. */
async function remove(context: Context, word: Word | undefined): Promise<void> {
  const { settings } = context;
  const planId = typeof word === 'number' ? word : (await pickPlan(word, context)).planId;
  const name = timerName(planId, registerKey(settings));
  const place = placeOf(context);
  const found = (await timersFound(place)).filter((timer) => timer.name === name);
  if (found.length === 0) {
    throw new NotFoundError(`No timer of plan ${planId} is installed here.`, {
      hint: 'vagent doctor shows those of every register, and --register names the one that is meant.',
    });
  }
  await consent({ Timer: name, By: found.map(({ system }) => system).join(', ') }, {}, 'Take it away?', context);
  await takeAway(found, context);
  await printRecord(context, { plan_id: planId, timer: name, installed: false });
}

async function takeAway(found: readonly FoundTimer[], context: Context): Promise<void> {
  const systems = timerSystems(placeOf(context));
  for (const { system: by, name, planId } of found) {
    if (await systems.find((system) => system.name === by)?.remove(name)) continue;
    const until = `it may run the plan until you log out, or until vagent plan stop ${planId}`;
    context.io.warn(`${by} could not be asked to forget its timer: ${until}${connectionFlags(context.flags)}.`);
  }
}

/** `written`: each file with what will be in it. */
async function consent(
  facts: Record<string, unknown>,
  written: Record<string, string>,
  question: string,
  { io, flags }: Context,
): Promise<void> {
  for (const line of factLines(facts, io)) io.note(line);
  for (const [file, text] of Object.entries(written)) io.note(`${file}:\n  ${text.trim().replaceAll('\n', '\n  ')}`);
  if (flags.yes) return;
  if (!io.canAsk) throw new UsageError('A timer is changed after a yes: add --yes. Nothing was changed.');
  await requireYes(io, question, 'Nothing was changed.');
}

// The command line of the timer --------------------------------------------------------------------------------------

const PROGRAM = fileURLToPath(new URL('../bin/vagent.js', import.meta.url));
const BY_ENV = '/usr/bin/env';

/** Nothing in it depends on the working folder, on the active profile, or on what is only in this environment. */
async function wordsOf(planId: number, { notify }: Options, context: Context): Promise<string[]> {
  const run = ['plan', 'run', String(planId), '--quiet', ...(notify === undefined ? [] : ['--notify', notify])];
  const words = [process.execPath, PROGRAM, ...run, ...(await connectionOf(context))];
  const variables = Object.entries(variablesOf(context, notify));
  if (process.platform === 'win32') {
    const names = variables.flatMap(([name]) => (name === 'PATH' ? [] : name)).join(', ');
    if (names !== '') context.io.warn(`The task has the variables of your user alone: setx keeps ${names} there.`);
    return words;
  }
  const given = variables.map(([name, value]) => `${name}=${value}`);
  return given.length === 0 ? words : [BY_ENV, ...given, ...words];
}

async function connectionOf({ settings, flags, io }: Context): Promise<string[]> {
  const target = settings.target();
  const profile = settings.ownProfile() === undefined ? undefined : settings.profileName();
  const own = profile === undefined ? [] : ['--profile', profile];
  const place = settings.register();
  const register = ['--register', isDatabase(place) ? place : resolve(place)];
  const organization = ['--org', String(settings.requireOrganization())];
  const { apiKeyFile: file } = flags;
  if (usesDatabase(settings) && settings.env.PGPASSWORD)
    io.warn('The timer would not have PGPASSWORD: keep the password in the file that PGPASSFILE names.');
  if (file === '-') throw new UsageError('--api-key-file: a timer has no standard input: name a file.');
  const keyFile = file === undefined ? [] : ['--api-key-file', resolve(file)];
  const unencrypted = flags.insecureHttp ? ['--insecure-http'] : [];
  if (target.mode === 'local') {
    const store = settings.store();
    const where = ['--local', '--store', isDatabase(store) ? store : resolve(store)];
    return [...own, ...where, ...organization, ...register, ...keyFile, ...unencrypted];
  }
  const { source } = await settings.key();
  if (source === 'VAGENT_API_KEY') {
    throw new CredentialsError(
      'The key comes from VAGENT_API_KEY, which the timer would not have. Nothing was installed.',
      { hint: 'Keep it in a profile (vagent profile add) and name that: --profile; or a file: --api-key-file.' },
    );
  }
  return [...own, '--base-url', target.name, ...organization, ...register, ...keyFile, ...unencrypted];
}

function usesDatabase(settings: Settings): boolean {
  return isDatabase(settings.register()) || (!settings.isRemote() && isDatabase(settings.store()));
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy'];

/** What the timer's environment lacks, without any password. */
function variablesOf({ settings, io }: Context, notify: string | undefined): Record<string, string> {
  const { env } = settings;
  const variables: Record<string, string> = {};
  // Timers have the home folder that the system knows, whatever this shell says.
  if (env.HOME && env.HOME !== quietly(() => userInfo().homedir)) variables.HOME = resolve(env.HOME);
  if (env.TZ) variables.TZ = env.TZ;
  if (usesDatabase(settings)) {
    // Not every timer knows who the user is.
    const user = env.PGUSER || env.USER;
    if (user) variables.PGUSER = user;
    if (env.PGSSLMODE) variables.PGSSLMODE = env.PGSSLMODE;
  }
  if (env.VAGENT_CONFIG_DIR || env.XDG_CONFIG_HOME) variables.VAGENT_CONFIG_DIR = resolve(settings.configFolder());
  if (env.VAGENT_STATE_DIR || env.XDG_STATE_HOME) variables.VAGENT_STATE_DIR = resolve(settings.stateFolder());
  for (const name of ['NODE_EXTRA_CA_CERTS', 'PGPASSFILE']) if (env[name]) variables[name] = resolve(env[name]);
  for (const name of PROXIES) {
    const value = env[name];
    if (!value) continue;
    if (value.includes('@')) io.warn(`The timer would not have ${name}, which may hold a password.`);
    else variables[name] = value;
  }
  const tellsByCommand = notify !== undefined && !isAddress(notify);
  if ((tellsByCommand || settings.ownProfile()?.api_key_command !== undefined) && env.PATH) variables.PATH = env.PATH;
  return variables;
}

function minutes(text: string): number {
  const found = duration(text) / 60;
  if (MINUTES.includes(found)) return found;
  throw new InvalidArgumentError(`It must be ${MINUTES.slice(0, -1).join('m, ')}m or 1h.`);
}
