/** A campaign in two parts: the first contacts are called, somebody looks at what came of them, and says whether to go on. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { DEFAULT_CALLS_PER_HOUR, DEFAULT_RETRY_DELAY, type RequestOf } from '../../../contract.ts';
import {
  InterruptedError,
  isTransient,
  leavesOutcomeUnknown,
  OutcomeUnknownError,
  reworded,
  UsageError,
  VagentError,
} from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import type { Sending } from '../../../register/recorded.ts';
import { factLines } from '../../../terminal/facts.ts';
import { printRecord } from '../../../terminal/output.ts';
import { Progress } from '../../../terminal/progress.ts';
import { confirm } from '../../../terminal/prompt.ts';
import { labelInWords } from '../../../terminal/words.ts';
import { writtenTime } from '../../../text/when.ts';
import { type FirstLook, firstLooks } from './first-look.ts';

type Request = RequestOf<'createCampaign'>;

/** Throws UsageError if nobody is there to say whether to go on: then nothing must be sent. */
export function requireSomebody({ io }: Context): void {
  if (io.canAsk) return;
  throw new UsageError('--canary needs a terminal: it asks before the others are called. Nothing was sent.', {
    hint: 'Elsewhere, vagent contacts split cuts the list into files that are sent one by one.',
  });
}

/** Throws UsageError if no contact is left for the second part. */
export function requireRest(canary: number, { contacts }: Request): void {
  if (canary < contacts.length) return;
  const there = contacts.length === 1 ? 'there is only 1 contact' : `there are only ${contacts.length} contacts`;
  throw new UsageError(`--canary ${canary}: ${there}. Nothing was sent.`, {
    hint: 'Give a smaller number, or leave --canary out.',
  });
}

/** Sends the first contacts, and after a look and a yes the others. The plan has been confirmed for the first. */
export async function createInParts(
  request: Request,
  { canary, sending, isRedial }: { canary: number; sending: Sending; isRedial: boolean },
  context: Context,
): Promise<void> {
  const { io, flags } = context;
  const { rows } = sending;
  const others = request.contacts.length - canary;
  const notSent = others === 1 ? 'The other one was not sent.' : `The other ${others} were not sent.`;
  let entry: number | undefined;
  const first = await context.service({
    ...sending,
    rows: rows?.only((row) => row < canary),
    async withIntent(_sql, given) {
      entry = given;
    },
  });
  const created = await first.createCampaign({ ...request, contacts: request.contacts.slice(0, canary) });
  await printRecord(io, flags, created, { idColumn: 'campaign_id' });
  // It is not the end of the command: what follows must not wait for a pager.
  await io.endScreen();
  const later = () =>
    howToSendTheRest({ created: created.campaign_id, isAgain: sending.again === true || isRedial }, context);
  let isWanted: boolean;
  try {
    await offerToAdvance(request, canary, context);
    const look = await waitForCalls(created.campaign_id, request, canary, context);
    for (const line of factLines(factsOf(look), io)) io.error(line);
    isWanted = await confirm(io, `Call the other ${others === 1 ? 'one' : others}?`);
  } catch (error) {
    if (!(error instanceof VagentError)) throw error;
    if (!(error instanceof InterruptedError)) {
      throw reworded(error, { message: `${error.message} ${notSent}`, hint: later() });
    }
    throw new InterruptedError(`Interrupted: campaign ${created.campaign_id} calls the first ${canary}. ${notSent}`, {
      hint: later(),
    });
  }
  if (!isWanted) {
    io.error(`${notSent} ${later()}`);
    return;
  }
  const rest = await context.service({ ...sending, rows: rows?.only((row) => row >= canary), partOf: entry });
  const start_time = await startOfRest(request, context);
  const contacts = request.contacts.slice(canary);
  const second = await rest.createCampaign({ ...request, contacts, start_time }).catch((error: unknown) => {
    throw aboutTheRest(error, { first: created.campaign_id, canary, others, notSent, later: later() });
  });
  await printRecord(io, flags, second, { idColumn: 'campaign_id' });
}

interface TwoParts {
  first: number;
  canary: number;
  others: number;
  notSent: string;
  later: string;
}

/** The failure of the second part, told with what the first one does. */
function aboutTheRest(error: unknown, { first, canary, others, notSent, later }: TwoParts): unknown {
  if (!(error instanceof VagentError)) return error;
  const begun = `Campaign ${first} calls the first ${canary}.`;
  if (leavesOutcomeUnknown(error)) {
    const doubt =
      others === 1
        ? 'Whether the other one was sent is not known'
        : `Whether the other ${others} were sent is not known`;
    return reworded(error, { message: `${begun} ${doubt}: ${error.message}` });
  }
  // Known and complete: nothing has to be looked up.
  return new OutcomeUnknownError(
    `${begun} ${notSent} ${error.message}`,
    { code: error.code, hint: later },
    error.status,
  );
}

/** At once, unless the start is still to come. */
async function startOfRest({ start_time }: Request, { serviceClock }: Context): Promise<string | undefined> {
  return start_time !== undefined && Date.parse(start_time) > (await serviceClock.now()) ? start_time : undefined;
}

function howToSendTheRest({ created, isAgain }: { created: number; isAgain: boolean }, context: Context): string {
  if (!context.settings.isRemote()) return 'They are in no campaign of the local engine.';
  const command = context.commandInFull(['--canary', '--yes', '-y', '--again', '--force', '--start', '--exclude-sent']);
  if (!isAgain) return `To send them later: ${command} --exclude-sent`;
  // Everybody in the list was sent before, so the first ones are told apart by name.
  const connection = connectionFlags(context.flags);
  return `To send them later: vagent campaign results ${created}${connection} -o csv --fields phone_number > called.csv, then ${command} --again --exclude called.csv`;
}

// The local engine ----------------------------------------------------------------------------------------------------

/** Its clock stands still for whoever waits; on a service time does it. */
async function offerToAdvance(request: Request, canary: number, context: Context): Promise<void> {
  if (context.settings.isRemote()) return;
  const target = await lastFirstCall(request, canary, context);
  const shown = writtenTime(new Date(target).toISOString(), await context.serviceClock.now());
  if (!(await confirm(context.io, `Move the local engine's clock until they are called (${shown})?`, true))) return;
  const { timeline } = await context.local();
  await timeline.move(
    (now) => Math.max(now, target),
    () => {},
  );
}

// Waiting -------------------------------------------------------------------------------------------------------------

/** Milliseconds between two looks, the first and the longest. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 10_000;
/** The pause is at least so many times as long as the reading before it. */
const READING_SHARE = 4;
/** Milliseconds after the last first call in which its entry can still come: the log shows a call when it is over. */
const GRACE = 15 * 60_000;

/** Until each of them has been called once, or should have been. */
async function waitForCalls(id: number, request: Request, canary: number, context: Context): Promise<FirstLook> {
  const { io, signal, systemNow } = context;
  const last = await lastFirstCall(request, canary, context);
  io.error(`Waiting until the first ${canary} have been called. Ctrl-C ends it, and the others are not called.`);
  const progress = new Progress(io, `Calling the first ${canary}`);
  const lookAgain = await firstLooks(id, context);
  let look: FirstLook | undefined;
  let isFailing = false;
  try {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      const began = systemNow();
      try {
        look = await lookAgain();
        isFailing = false;
      } catch (error) {
        if (signal.aborted) throw new InterruptedError();
        if (!isTransient(error)) throw error;
        if (!isFailing) io.warn(`the call log cannot be read, and is asked again: ${(error as VagentError).message}`);
        isFailing = true;
      }
      const isLate = (await context.serviceClock.now()) > last + GRACE;
      if (look !== undefined && (look.called === look.contacts || isLate)) return look;
      progress.at(look?.called ?? 0, canary);
      // A long log is not read all the time.
      const rest = Math.max(pause, READING_SHARE * (systemNow() - began));
      await sleep(rest, undefined, { signal }).catch(() => {
        throw new InterruptedError();
      });
    }
  } finally {
    progress.end();
  }
}

/** When the first call to the last of them is due, in milliseconds since the epoch. */
async function lastFirstCall(request: Request, canary: number, { serviceClock }: Context): Promise<number> {
  const { worstCaseFinish } = await import('../../../engine/pace.ts');
  const { start_time, calls_per_hour = DEFAULT_CALLS_PER_HOUR, retry_delay = DEFAULT_RETRY_DELAY } = request;
  return worstCaseFinish({
    total_contacts: canary,
    start_time: start_time === undefined ? await serviceClock.now() : Date.parse(start_time),
    calls_per_hour,
    retry_attempts: 0,
    retry_delay,
  });
}

function factsOf({ contacts, called, states, attempts, answered }: FirstLook): Record<string, string> {
  const counts = Object.entries(states).filter(([, count]) => count > 0);
  const share = attempts === 0 ? undefined : `${Math.round((100 * answered) / attempts)} % of ${attempts} calls`;
  return {
    Called: `${called} of the first ${contacts}`,
    ...Object.fromEntries(counts.map(([state, count]) => [capitalized(labelInWords(state)), String(count)])),
    ...(share !== undefined && { 'Answer rate': share }),
  };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
