/**
 * The checks of `vagent doctor`: a table, in the order in which they run and are shown. A failure does not stop the
 * checks after it.
 */
import type { Context } from '../context.ts';
import { InterruptedError, VagentError } from '../errors.ts';
import { isDatabase } from '../storage/files/store-place.ts';
import { type AgentPages, asking, type DatabaseFacts, type Look } from './asked.ts';
import * as local from './local.ts';
import * as machine from './machine.ts';
import { register, tidyUp } from './register.ts';
import * as remote from './remote.ts';

/** The name stands in JSON, and in what other checks need: those must pass before. `what` it is, is for people. */
type Row = readonly [name: string, what: string, needs: readonly string[], look: Look];

const OF_MACHINE: readonly Row[] = [
  ['versions', 'versions', [], machine.versions],
  ['time_zones', 'time zones', [], machine.timeZones],
  ['config', 'config', [], machine.config],
  ['state_folder', 'state folder', [], machine.stateFolder],
  ['profile', 'profile', ['config'], machine.profile],
  ['register', 'register', ['state_folder', 'profile'], register],
  ['timers', 'timers of plans', [], machine.timers],
  ['base_url', 'base URL', ['profile'], machine.baseUrl],
  ['organization', 'organization', ['base_url'], machine.organization],
];
const STORE: Row = ['store', 'store', ['base_url'], local.store];
const OF_DATABASE: readonly Row[] = [
  ['database', 'database', ['store'], byFacts(local.databaseVersion)],
  ['database_rights', 'database rights', ['store'], byFacts(local.databaseRights)],
  ['database_clock', 'database clock', ['store'], byFacts(local.databaseClock)],
  ['database_transactions', 'transactions', ['store'], byFacts(local.databaseTransactions)],
];
const COUNTRY: Row = ['country', 'default country', ['profile'], machine.country];
const OF_ENGINE: readonly Row[] = [
  ['key', 'key', ['store', 'organization'], local.key],
  ['balance', 'balance', ['store'], local.balance],
  ['agent', 'default agent', ['store'], local.agent],
  ['from', 'default from number', ['store'], local.fromNumber],
  COUNTRY,
];
const OF_SERVICE: readonly Row[] = [
  ['proxy', 'proxy', ['base_url'], machine.proxy],
  ['certificates', 'certificates', [], machine.certificates],
  ['key', 'key', ['base_url'], remote.key],
  ['service', 'service', ['base_url', 'proxy', 'organization', 'key'], remote.service],
  ['agent', 'default agent', ['service'], remote.agent],
  ['from', 'default from number', ['profile'], remote.fromNumber],
  COUNTRY,
  ['clock', 'clock', [], remote.clock],
];
const TIDY: Row = ['tidy', 'files of an earlier vagent', ['register'], tidyUp];

function byFacts(judge: (facts: DatabaseFacts) => string): Look {
  return async (_context, asked) => {
    const facts = await asked.database();
    return facts && judge(facts);
  };
}

/** If the settings are too broken to say, a service is assumed. */
function rowsFor({ settings }: Context, isToTidy: boolean): readonly Row[] {
  const isLocal = isKnown(() => !settings.isRemote());
  // That the place of the store is none is told where it is opened.
  const ofDatabase = isLocal && isKnown(() => isDatabase(settings.store())) ? OF_DATABASE : [];
  const ofService = isLocal ? [STORE, ...ofDatabase, ...OF_ENGINE] : OF_SERVICE;
  return [...OF_MACHINE, ...ofService, ...(isToTidy ? [TIDY] : [])];
}

function isKnown(look: () => boolean): boolean {
  try {
    return look();
  } catch (error) {
    if (error instanceof VagentError) return false;
    throw error;
  }
}

export interface Finding {
  name: string;
  what: string;
  status: 'ok' | 'failed' | 'skipped';
  message: string;
  /** How to fix it. */
  hint: string | null;
  /** The exit code of a command that meets this failure, 0 if it passed; null if nothing was checked. */
  exit_code: number | null;
}

/**
 * Runs the checks in their order. `isToTidy`: whether what an earlier vagent kept is removed as well; `hintOf`: how to
 * fix a failure, in words. Throws only InterruptedError.
 */
export async function* diagnose(
  context: Context,
  isToTidy: boolean,
  { hintOf, agentPages }: { hintOf: (error: VagentError) => string | undefined; agentPages: AgentPages },
): AsyncGenerator<Finding> {
  const asked = asking(context, agentPages);
  const sound = new Set<string>();
  for (const [name, what, needs, look] of rowsFor(context, isToTidy)) {
    const isReady = needs.every((other) => sound.has(other));
    const found = isReady ? await foundBy(() => look(context, asked), hintOf) : NOT_CHECKED;
    if (found.status === 'ok') sound.add(name);
    yield { name, what, ...found };
  }
}

type Found = Omit<Finding, 'name' | 'what'>;

const NOT_CHECKED: Found = { status: 'skipped', message: 'not checked', hint: null, exit_code: null };
/** The exit code of an unexpected failure. */
const UNEXPECTED = 1;

async function foundBy(
  look: () => ReturnType<Look>,
  hintOf: (error: VagentError) => string | undefined,
): Promise<Found> {
  try {
    const message = await look();
    return message === undefined ? NOT_CHECKED : { status: 'ok', message, hint: null, exit_code: 0 };
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    if (error instanceof VagentError)
      return { status: 'failed', message: error.message, hint: hintOf(error) ?? null, exit_code: error.exitCode };
    const message = `unexpected failure, which is a bug: ${error instanceof Error ? error.message : error}`;
    return { status: 'failed', message, hint: null, exit_code: UNEXPECTED };
  }
}
