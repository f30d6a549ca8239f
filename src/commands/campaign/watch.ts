import { newsOf, type Progress, SNAPSHOT_FIELDS, snapshotOf } from '../../campaigns/progress/progress.ts';
import { isOver, type Seen, watch } from '../../campaigns/progress/watch.ts';
import { integerFrom } from '../../cli/flags/values.ts';
import { countsInWords } from '../../cli/terminal/drawing.ts';
import { liveView, type View, type Watchable } from '../../cli/terminal/live-view.ts';
import { cell, suggestNext } from '../../cli/terminal/output.ts';
import { whileWaiting } from '../../cli/terminal/progress.ts';
import { labelInWords } from '../../cli/terminal/words.ts';
import type { Context } from '../../context.ts';
import { InputError, UsageError } from '../../errors.ts';
import { grouped, plural } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { readLaunches } from '../shared/find-campaign.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { drawAll, inOneLine } from './watch/draw-progress.ts';

interface Options {
  speed?: number;
}

/** Engine seconds in a second. */
const MOST_SPEED = 1_000_000;
export const command: CommandModule = {
  notes: `
Shows how far a campaign is until it is over: how many contacts were reached, how fast it calls, when it is expected to
end, and its last calls. Without a campaign it shows all that are not over, and those that begin meanwhile. It reads
only what is new in the call log. End it with Ctrl-C, which is no failure (exit code 0): the campaign goes on.

In a pipe it prints a snapshot as a line of JSON whenever something has changed: vagent help progress lists the fields.
On the simulator, --speed moves its clock: --speed 60 plays an hour in a minute.`,
  examples: [
    'vagent campaign watch',
    'vagent campaign watch Spring',
    'vagent campaign watch 1 -o ndjson | jq -r .states.reached',
    'vagent campaign watch 1 --speed 3600 --local',
  ],
  exits: 'reading',
  isLive: true,
  formats: ['table', 'json', 'ndjson'],
  operation: 'getCallLogs',
  takes: (command) =>
    command
      .argument('[campaign]', 'its id or name (default: all that are not over)', idOrName)
      .option('--speed <n>', 'on the simulator: seconds of its clock in a second', integerFrom(1, MOST_SPEED)),
  run,
};

const VIEW: Watchable<Progress> = {
  name: 'A campaign',
  keyOf: ({ key }) => key,
  timeOf: ({ at }) => at,
  ...{ newsOf, inOneLine, snapshotOf, draw: drawAll, fields: SNAPSHOT_FIELDS },
};

/** Runs until every campaign is over, or until it is interrupted: both are its normal end. */
async function run(context: Context, word: Word | undefined, { speed }: Options): Promise<void> {
  const { io, signal, settings } = context;
  if (speed !== undefined && settings.isRemote()) {
    throw new UsageError('--speed moves the clock of the simulator; a real service keeps its own.', {
      hint: 'Leave --speed out, or add --local.',
    });
  }
  const view = liveView(VIEW, context);
  try {
    context.services.announce();
    const named = word === undefined ? undefined : await readLaunches(word, context);
    const campaigns = await follow(named?.launch.key, speed, view, context);
    view.end();
    if (campaigns.length === 0) io.note('No campaign is running, and none is to begin.');
    else if (!signal.aborted) noteEnd(campaigns, context);
    else if (!isOver(campaigns)) {
      const left = campaigns.filter(({ phase }) => phase !== 'over').map(({ campaignId }) => campaignId);
      const go = left.length === 1 ? `Campaign ${left[0]} goes on` : `Campaigns ${left.join(', ')} go on`;
      io.note(`${go}: only the watch has ended.`);
    }
  } finally {
    view.end();
  }
}

/** The campaigns as they were seen last. */
async function follow(key: number | undefined, speed: number | undefined, view: View<Progress>, context: Context) {
  const { io } = context;
  const whileReading = <T>(look: Promise<T>) => whileWaiting(io, 'Reading the call log', look);
  let last: Seen = { campaigns: [], hasBegun: false };
  for await (const seen of watch({ key, speed, whileReading }, context)) {
    const { campaigns, hasBegun } = seen;
    if (hasBegun && !last.hasBegun && !isOver(campaigns)) io.note('Watching. End with Ctrl-C: the campaign goes on.');
    last = seen;
    // With --json, notes are held back in case the command ends with an error. It goes on, so they are printed.
    io.releaseNotes();
    await view.show(campaigns);
    if (speed !== undefined) requireMovement(campaigns);
  }
  return last.campaigns;
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

function noteEnd(campaigns: readonly Progress[], context: Context): void {
  const { io } = context;
  for (const { campaignId, name, tally } of campaigns) {
    const shown = countsInWords(tally.states);
    const contacts = `${grouped(tally.contacts)} ${plural(tally.contacts, 'contact')}`;
    io.note(`Campaign ${campaignId}, ${cell(name)}, is over: ${contacts}, ${shown}.`);
  }
  suggestNext(context, `vagent campaign results ${campaigns[0]?.campaignId}`);
}
