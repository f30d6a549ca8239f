/** Whether `contacts check` says where contacts are, and which of them could never be called. */
import type { ZoneRules } from '../../../contacts/rules.ts';
import type { Context } from '../../../context.ts';

export interface ZoneOptions {
  zones?: true;
  zoneColumn?: string;
  window?: string;
}

/** Undefined if no flag asks. Throws UsageError if the window is not understood. */
export async function zonesAsked(
  { zones, zoneColumn, window }: ZoneOptions,
  context: Context,
): Promise<ZoneRules['accepts'] | undefined> {
  if (window === undefined) return zones || zoneColumn !== undefined ? () => true : undefined;
  const [{ callableWindow }, { hasCommonHour }, { ZONE_OF_CONTACT }] = await Promise.all([
    import('../../../plans/rules/window.ts'),
    import('../../../plans/rules/calendar.ts'),
    import('../../../plans/rules/rules.ts'),
  ]);
  const rules = { window: callableWindow(window), zone: ZONE_OF_CONTACT, skipDates: [] };
  const now = context.clock.system();
  return (names, country) => hasCommonHour(rules, { zones: names, country: country ?? null }, now);
}
