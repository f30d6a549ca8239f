import { DURATIONS, filled } from '../../cli/flags/values.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { ask } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { InputError, UsageError } from '../../errors.ts';
import { durationMeant, parseDuration } from '../../text/duration.ts';
import { isoTime } from '../../text/iso.ts';
import { needsZone, parseTime, timeInZone } from '../../text/time.ts';
import { SECOND } from '../../text/units.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { zoneFor } from '../shared/times.ts';

interface Options {
  until?: string;
  untilIdle?: true;
  timezone?: string;
}

export const command: CommandModule = {
  examples: [
    'vagent local advance 2h',
    'vagent local advance --until 2026-12-01T00:00Z',
    'vagent local advance --until-idle',
  ],
  exits: 'engine',
  takes: (command) =>
    command
      .argument('[duration]', `how far: ${DURATIONS}`)
      .option('--until <time>', 'to this time: ISO 8601, "tomorrow 09:00", or 2h')
      .option('--timezone <name>', "IANA zone of an --until without an offset (default: the profile's)", filled)
      .option('--until-idle', 'until every campaign has played to its end'),
  run,
};

async function run(context: Context, duration: string | undefined, options: Options): Promise<void> {
  const { io } = context;
  const until = await readTarget(await askedDuration(duration, options, io), options, context);
  const { timeline } = await context.local.engine();
  const progress = new Progress(io, 'Placing calls');
  let calls = 0;
  try {
    let from = 0;
    let target: number | 'idle' = 'idle';
    const shareAt = (instant: number) => (target === 'idle' ? undefined : (instant - from) / (target - from));
    const { to, stranded } = await timeline.move(
      (now) => {
        from = now;
        target = until(now);
        return target;
      },
      ({ timestamp }) => progress.at(++calls, undefined, shareAt(Date.parse(String(timestamp)))),
    );
    for (const id of stranded) io.warn(`campaign ${id} is not done: its next call would be beyond the year 9999.`);
    await printRecord(context, { from: isoTime(from), to: isoTime(to), calls });
    suggestNext(context, calls > 0 ? 'vagent logs list' : 'vagent local status');
    noteNextTime(context);
  } finally {
    progress.end();
  }
}

/** Asked for if nothing says how far, and somebody is there. */
async function askedDuration(given: string | undefined, { until, untilIdle }: Options, io: Io) {
  if (given !== undefined || until !== undefined || untilIdle || !io.canAsk) return given;
  const parse = (text: string) => {
    secondsOf(text);
    return text;
  };
  return ask(io, { flag: '<duration>', message: 'How far', hint: 'such as 15m, 2h or 3d', parse });
}

/** From the engine's time to the time to move to. Throws InputError for a time in the past. */
async function readTarget(
  duration: string | undefined,
  { until, untilIdle, timezone }: Options,
  context: Context,
): Promise<(now: number) => number | 'idle'> {
  const given = [duration, until, untilIdle].filter((value) => value !== undefined);
  if (given.length !== 1) throw new UsageError('Give one of: a duration, --until <time>, --until-idle.');
  if (untilIdle) return () => 'idle';
  if (until !== undefined) {
    const { timeline } = await context.local.engine();
    const { now } = await timeline.read();
    const zone = await zoneFor({ timezone, times: { '--until': until }, now: () => now }, context);
    const target = await parseTime(until, { flag: '--until', now, direction: 'ahead', zone });
    if (needsZone(until)) context.io.note(`--until ${until} is ${timeInZone(target, zone, now)}.`);
    return (now) => {
      if (target >= now) return target;
      throw new InputError(`--until ${until} has passed: the simulator's clock stands at ${isoTime(now)}.`);
    };
  }
  const seconds = secondsOf(duration ?? '');
  return (now) => now + seconds * SECOND;
}

function secondsOf(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  const meant = durationMeant(text);
  throw new UsageError(`${JSON.stringify(text)} is not a duration.`, {
    hint: `${meant === undefined ? '' : `${meant} `}Write ${DURATIONS}.`,
  });
}
