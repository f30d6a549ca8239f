import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { CONTACT_STATES } from '../../calls/attribution/states.ts';
import { mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import type { Progress } from '../../calls/progress/progress.ts';
import type { Context } from '../../context.ts';
import { InputError, UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { integerFrom } from '../../flags/values.ts';
import { suggestNext } from '../../terminal/next.ts';
import { cell } from '../../terminal/output.ts';
import { whileWaiting } from '../../terminal/waiting.ts';
import { labelInWords } from '../../terminal/words.ts';
import { grouped } from '../../text/numbers.ts';
import { liveView, type View } from '../shared/live-view.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { EngineSpeed } from './shared/engine-speed.ts';
import type { LiveLook } from './shared/live-campaigns.ts';
import { CAMPAIGN_VIEW } from './shared/watch-view.ts';
import { WatchedCampaigns } from './shared/watched-campaigns.ts';

interface Options {
  speed?: number;
}

/** Engine seconds in a second. */
const MOST_SPEED = 1_000_000;
/** Milliseconds between two steps of the engine. */
const STEP = 200;
/** The most milliseconds between two looks at a log that takes long to read, and the share of the time that looks may take. */
const LONGEST_PAUSE = 300_000;
const PAUSE_FOR_EACH = 500;
const SHARE = 0.1;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Shows how far a campaign is until it is over: how many contacts were reached, how fast it calls, when it is expected to
end, and its last calls. Without a campaign it shows all that are not over, and those that begin meanwhile. It reads
only what is new in the call log. End it with Ctrl-C, which is no failure (exit code 0): the campaign goes on.

In a pipe it prints a snapshot as a line of JSON whenever something has changed: vagent help campaigns lists the fields.
On the local engine, --speed moves its clock: --speed 60 plays an hour in a minute.`,
    examples: [
      'vagent campaign watch',
      'vagent campaign watch Spring',
      'vagent campaign watch 1 -o ndjson | jq -r .states.reached',
      'vagent campaign watch 1 --speed 3600 --local',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  command
    .argument('[campaign]', 'its id or name (default: all that are not over)', campaignWord)
    .option('--speed <n>', 'on the local engine: seconds of its clock in a second', integerFrom(1, MOST_SPEED))
    .action((word: CampaignWord | undefined, options: Options) => run(word, options, context));
}

/** Runs until every campaign is over, or until it is interrupted: both are its normal end. */
export async function run(word: CampaignWord | undefined, { speed }: Options, context: Context): Promise<void> {
  const { io, signal, settings } = context;
  if (speed !== undefined && settings.isRemote()) {
    throw new UsageError('--speed moves the clock of the local engine; a real service keeps its own.', {
      hint: 'Leave --speed out, or add --local.',
    });
  }
  const view = liveView(CAMPAIGN_VIEW, context);
  try {
    const source = await WatchedCampaigns.open(word, context);
    const engine = speed === undefined ? undefined : new EngineSpeed((await context.local()).timeline, speed);
    const campaigns = await follow({ source, engine, view }, context);
    view.end();
    if (campaigns.length === 0) io.note('No campaign is running, and none is to begin.');
    else if (signal.aborted) noteRest(campaigns, context);
    else noteEnd(campaigns, context);
  } finally {
    view.end();
  }
}

interface Watching {
  source: WatchedCampaigns;
  engine: EngineSpeed | undefined;
  view: View<Progress>;
}

/** The campaigns as they were seen last. */
async function follow({ source, engine, view }: Watching, context: Context): Promise<readonly Progress[]> {
  const { io, signal } = context;
  let campaigns: readonly Progress[] = [];
  let failures = 0;
  let hasBegun = false;
  while (!signal.aborted) {
    const before = hasBegun ? process.cpuUsage() : undefined;
    // It begins with what is, before time moves.
    const looked = lookOnce(source, hasBegun ? engine : undefined);
    const look = await (hasBegun ? looked : whileWaiting(io, 'Reading the call log', looked));
    if (signal.aborted) break;
    const { failure } = look;
    if (failure !== undefined && !mayPass(failure)) throw failure;
    if (failure === undefined) {
      if (failures > 0) io.note('The service works again.');
      failures = 0;
    } else if (failures++ === 0) io.warn(`${failure.message} Trying again until the service works.`);
    // What was read before a failure may be little of a log that was never read to its end.
    if (failure === undefined || hasBegun) campaigns = look.campaigns ?? campaigns;
    const isOver = campaigns.every(({ phase }) => phase === 'over');
    if (!hasBegun && failure === undefined) {
      if (!isOver) io.note('Watching. End with Ctrl-C: the campaign goes on.');
      hasBegun = true;
    }
    // With --json, notes are held back in case the command ends with an error. It goes on, so they are printed.
    io.releaseNotes();
    await view.show(campaigns);
    if (hasBegun && isOver) break;
    if (engine !== undefined) requireMovement(campaigns);
    await sleep(pauseOf({ failures, engine, readings: source.readings, before }), undefined, { signal }).catch(
      () => {},
    );
  }
  return campaigns;
}

async function lookOnce(source: WatchedCampaigns, engine: EngineSpeed | undefined): Promise<Partial<LiveLook>> {
  try {
    await engine?.step();
    return await source.look();
  } catch (failure) {
    return { failure };
  }
}

interface Pause extends Pick<Watching, 'engine'> {
  failures: number;
  /** Of the log, in a look. */
  readings: number;
  /** What the processor had done before the look; undefined before the first one, which reads all there is. */
  before: NodeJS.CpuUsage | undefined;
}

const NOTHING: NodeJS.CpuUsage = { user: 0, system: 0 };

/** Milliseconds. A log that takes long to read is looked at less often, so that a watch takes little of the computer's time. */
function pauseOf({ failures, engine, readings, before }: Pause): number {
  if (failures > 0) return pauseAfterFailures(failures);
  if (engine !== undefined) return STEP;
  const { user, system } = before === undefined ? NOTHING : process.cpuUsage(before);
  const worked = (user + system) / 1000;
  return Math.max(pauseAfterFailures(0), readings * PAUSE_FOR_EACH, Math.min(LONGEST_PAUSE, worked * (1 / SHARE - 1)));
}

/** Throws InputError where the clock could run for ever without a call. */
function requireMovement(campaigns: readonly Progress[]): void {
  const left = campaigns.filter(({ phase }) => phase !== 'over');
  const paused = left.find(({ phase }) => phase === 'paused');
  if (paused === undefined || left.some(({ phase }) => phase !== 'paused')) return;
  const why = paused.reason === undefined ? '' : ` (${labelInWords(paused.reason)})`;
  throw new InputError(`Campaign ${paused.campaignId} is paused${why}: however far the clock moves, it calls nobody.`, {
    hint: `vagent local campaign resume ${paused.campaignId}`,
  });
}

function noteEnd(campaigns: readonly Progress[], { io, flags }: Context): void {
  for (const { campaignId, name, tally } of campaigns) {
    const counts = CONTACT_STATES.filter((state) => tally.states[state] > 0);
    const shown = counts.map((state) => `${grouped(tally.states[state])} ${labelInWords(state)}`).join(', ');
    const contacts = tally.contacts === 1 ? '1 contact' : `${grouped(tally.contacts)} contacts`;
    io.note(`Campaign ${campaignId}, ${cell(name)}, is over: ${contacts}, ${shown}.`);
  }
  suggestNext(io, flags, `vagent campaign results ${campaigns[0]?.campaignId}`);
}

/** Only the watch has ended. */
function noteRest(campaigns: readonly Progress[], { io }: Context): void {
  const left = campaigns.filter(({ phase }) => phase !== 'over').map(({ campaignId }) => campaignId);
  if (left.length === 0) return;
  io.note(
    `${left.length === 1 ? `Campaign ${left[0]} goes on` : `Campaigns ${left.join(', ')} go on`}: only the watch has ended.`,
  );
}
