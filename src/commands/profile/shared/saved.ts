/** The profiles that are saved: which one is meant, and how they are changed. */
import { filled } from '../../../cli/flags/values.ts';
import { printRecord } from '../../../cli/terminal/output.ts';
import type { ListQuestion } from '../../../cli/terminal/question.ts';
import type { Context } from '../../../context.ts';
import { type Changes, changeConfig, changedProfile } from '../../../settings/profile-changes.ts';
import { type Config, configPath } from '../../../settings/profiles.ts';

/** Asks which of the profiles is meant; the active one is preset. */
export function askProfile({ settings }: Context): ListQuestion<string> {
  return {
    flag: '<name>',
    message: 'Profile',
    choices: async () => {
      const { active, profiles } = settings.config();
      return Object.entries(profiles).map(([name, { mode, base_url }]) => ({
        name: `${name}  (${mode === 'local' ? 'local engine' : base_url}${name === active ? ', active' : ''})`,
        value: name,
      }));
    },
    parse: filled,
    preset: settings.config().active,
  };
}

/** Replaces the profiles with what `change` makes of the latest ones. */
export function changeProfiles({ settings, line }: Context, change: (config: Config) => Config) {
  return changeConfig(settings.configFolder(), line.command, change);
}

/** Saves a profile, and says what became of it. */
export async function saveProfile(name: string, changes: Changes, context: Context): Promise<void> {
  const { io, settings } = context;
  const { before, after } = await changeProfiles(context, (config) => ({
    active: config.active ?? name,
    profiles: { ...config.profiles, [name]: changedProfile(ofName(config.profiles, name), changes).profile },
  }));
  const old = ofName(before.profiles, name);
  const { profile, kept, dropped } = changedProfile(old, changes);
  io.note(`Profile ${name} is ${old === undefined ? 'saved' : 'changed'} in ${configPath(settings.configFolder())}.`);
  if (kept.length > 0) io.note(`Kept as before: ${kept.join(', ')}.`);
  if (dropped.length > 0) {
    const other = profile.mode === 'local' ? 'the real service' : 'the local engine';
    io.note(`Dropped, because it belongs to ${other}: ${dropped.join(', ')}.`);
  }
  const { active } = after;
  if (active !== name) io.note(`The active profile is still ${active}: vagent profile use ${name}`);
  await printRecord(context, { name, mode: profile.mode, active: active === name });
}

/** A name such as `constructor` is no profile unless there is one. */
export function ofName<T>(profiles: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}
