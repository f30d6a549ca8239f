/** Saves a profile, and says what became of it. */

import { printRecord } from '../../../cli/terminal/output.ts';
import type { Context } from '../../../context.ts';
import { configPath } from '../../../settings/profiles.ts';
import { type Changes, changedProfile } from './fields.ts';

export async function saveProfile(name: string, changes: Changes, context: Context): Promise<void> {
  const { io, settings, line } = context;
  const configFolder = settings.configFolder();
  const { changeConfig } = await import('../../../settings/profile-file.ts');
  const { before, after } = await changeConfig(configFolder, line.command, (config) => ({
    active: config.active ?? name,
    profiles: { ...config.profiles, [name]: changedProfile(ofName(config.profiles, name), changes).profile },
  }));
  const old = ofName(before.profiles, name);
  const { profile, kept, dropped } = changedProfile(old, changes);
  io.note(`Profile ${name} is ${old === undefined ? 'saved' : 'changed'} in ${configPath(configFolder)}.`);
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
