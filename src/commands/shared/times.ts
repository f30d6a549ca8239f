/** In which zone the times of flags are meant. Nobody's is guessed: it is a flag's, the profile's, or asked for and kept there. */
import { ask } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { FileError, InputError } from '../../errors.ts';
import { changeConfig } from '../../settings/profile-changes.ts';
import { findProfile } from '../../settings/profiles.ts';
import { canonicalZone, machineZone, needsZone, parseTime } from '../../text/time.ts';

/** Of `--timezone`, else of the profile; undefined where neither says one. Throws InputError if it does not exist. */
export function zoneSaid(timezone: string | undefined, { settings }: Context): string | undefined {
  const name = timezone ?? settings.profile()?.timezone;
  if (name === undefined) return undefined;
  canonicalZone(name, timezone === undefined ? `profile ${settings.profileName()}: timezone` : '--timezone');
  return name;
}

/** What the command line says: `times` by their flags. */
interface Said {
  timezone: string | undefined;
  times: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch, by the clock that the times are counted from. */
  now: () => number | Promise<number>;
}

/**
 * The same; where one of the times needs a zone and none is said, it is asked for once, and kept in the profile if there is one.
 * If nobody can be asked, throws InputError with the command that works where this machine's zone is meant.
 */
export async function zoneFor({ timezone, times, now }: Said, context: Context): Promise<string | undefined> {
  const said = zoneSaid(timezone, context);
  const given = Object.entries(times).flatMap(([flag, text]) => (text === undefined ? [] : [{ flag, text }]));
  const unclear = given.filter(({ text }) => needsZone(text));
  const [first] = unclear;
  if (said !== undefined || first === undefined) return said;
  const at = await now();
  const read = ({ flag, text }: (typeof given)[number], zone?: string) =>
    parseTime(text, { flag, now: at, direction: 'ahead', zone });
  // What is no time at all is refused before anything is asked.
  for (const time of given) if (!unclear.includes(time)) await read(time);
  const machine = machineZone(at);
  const here = /^[+-]/.test(machine) ? 'UTC' : machine;
  if (context.io.canAsk) return askZone(here, context);
  // What is offered works: a time that is none there is refused for that.
  for (const time of unclear) {
    if ((await read(time, here)) >= at) continue;
    const why = `has no time zone, and has passed in ${here}`;
    throw new InputError(`${time.flag} ${time.text} ${why}.`, { hint: 'Write a later time.' });
  }
  const command = context.line.inFull([], [{ flag: '--timezone', text: here }]);
  throw new InputError(`${first.flag} ${first.text} has no time zone.`, { hint: `If ${here} is meant: ${command}` });
}

async function askZone(here: string, context: Context): Promise<string> {
  const { io, settings, line } = context;
  const zone = await ask(io, {
    flag: '',
    message: 'Time zone of these times',
    hint: 'such as Europe/Berlin',
    preset: here,
    parse: zoneName,
  });
  io.answers.push({ flag: '--timezone', text: zone });
  const name = settings.profileName();
  if (name === undefined) return zone;
  try {
    await changeConfig(settings.configFolder(), line.command, (config) => {
      const profile = { ...findProfile(config, name), timezone: zone };
      return { ...config, profiles: { ...config.profiles, [name]: profile } };
    });
    io.note(`Times without an offset are those of ${zone} from now on: it is kept in profile ${name}.`);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    io.warn(`the time zone is not kept. ${error.message}`);
  }
  return zone;
}

/** As it is written. Throws InputError if it is not the name of a zone. */
export function zoneName(text: string): string {
  const name = text.trim();
  canonicalZone(name, '--timezone');
  return name;
}
