/** The flags of `plan edit`, which are those of `plan create`, and the rules that a plan has with them. */
import type { PlainCommand } from '../../../cli/flags/plain-command.ts';
import type { FlagTable, OptionsOf } from '../../../cli/flags/values.ts';
import { InputError } from '../../../errors.ts';
import type { Plan } from '../../../plans/rules/plan.ts';
import { DEFAULTS, type PlanRules, ZONE_OF_CONTACT } from '../../../plans/rules/rules.ts';
import { callableWindow } from '../../../plans/rules/window.ts';
import { canonicalZone } from '../../../text/time.ts';
import { CONTACT_FLAGS } from '../../shared/contacts.ts';
import {
  HOW_OFTEN,
  listPaths,
  NEVER,
  period,
  readSkipDates,
  requireOneCall,
  requireOthers,
  requireShortWaves,
  WHEN,
  WHEN_TO_STOP,
} from '../shared/rule-flags.ts';

const { lookFor: _, ...whenToStop } = WHEN_TO_STOP;
const FLAGS = { ...WHEN, ...HOW_OFTEN, ...whenToStop, exclude: CONTACT_FLAGS.exclude };

/** Takes a rule away, where a plan can go without it. */
export const NONE = 'none';
const CAN_GO = ['skipDates', 'end', 'maxPerNumber', 'fromCap', 'budget', 'canary'] as const;

type Given = OptionsOf<typeof FLAGS>;
export type EditOptions = {
  [Rule in keyof Given]: Given[Rule] | (Rule extends (typeof CAN_GO)[number] ? typeof NONE : never);
};

export function addEditFlags(command: PlainCommand): PlainCommand {
  const flags: FlagTable = Object.fromEntries(
    Object.entries(FLAGS).map(([name, [written, help, read]]) => {
      const shown = help.replace(/ \(default [^)]*\)/, '');
      if (!(CAN_GO as readonly string[]).includes(name)) return [name, [written, shown, read] as const];
      const orNone = (text: string) => (text === NONE ? NONE : (read as (text: string) => unknown)(text));
      return [name, [written, `${shown}; or ${NONE}`, orNone] as const];
    }),
  );
  return command
    .takesFlags(flags, 'Rules')
    .earlier('--hours <hours>', '--window')
    .earlier('--attempts <n>', '--max-attempts')
    .earlier('--skip <file>', '--skip-dates');
}

/** Whether any rule is given, and not only flags that every command has. */
export function hasRules(options: EditOptions): boolean {
  return Object.keys(options).some((name) => name in FLAGS);
}

/** Throws UsageError or InputError for rules that contradict each other. `now`: as the plan's own clock shows. */
export async function changedRules(options: EditOptions, { rules, contacts }: Plan, now: number): Promise<PlanRules> {
  const { window, zone, skipDates, start, end, timezone, stopOn: share, expectedLongest: longest, ...more } = options;
  const { optOut = [], exclude, ...same } = more;
  const plain = Object.entries(same).filter(([name, value]) => name in FLAGS && value !== undefined);
  const changed: PlanRules = {
    ...rules,
    ...Object.fromEntries(plain.map(([name, value]) => [name, value === NONE ? undefined : value])),
    ...(longest !== undefined && { longest }),
    ...(window !== undefined && { window: callableWindow(window) }),
    ...(zone !== undefined && { zone: zone === ZONE_OF_CONTACT ? zone : canonicalZone(zone, '--zone') }),
    ...(skipDates !== undefined && { skipDates: skipDates === NONE ? [] : readSkipDates(skipDates) }),
    ...(share !== undefined && { stopOn: share === NEVER ? undefined : share }),
    optOut: [...new Set([...rules.optOut, ...optOut])],
    exclude: [...new Set([...rules.exclude, ...listPaths(exclude)])],
  };
  requireOthers(changed, contacts);
  if (typeof same.canary === 'number') changed.firstLook ??= DEFAULTS.firstLook;
  const times = await period({ start, end: end === NONE ? undefined : end, timezone }, now);
  if (start !== undefined) changed.start = times.start;
  if (end !== undefined) changed.end = times.end;
  if (changed.end !== undefined && changed.end <= (changed.start ?? now))
    throw new InputError('--end is not after the start of the plan: nobody could be called.');
  requireShortWaves(changed);
  requireOneCall({ ...changed, expectedLongest: changed.longest });
  return changed;
}
