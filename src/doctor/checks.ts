/** The checks of `vagent doctor`, in the order in which they run and are shown. */
import type { Context } from '../context.ts';
import { VagentError } from '../errors.ts';
import type { Check } from './check.ts';
import { localChecks } from './local.ts';
import { networkChecks } from './network.ts';
import { tidyCheck } from './register.ts';
import { remoteChecks } from './remote.ts';
import { settingsChecks } from './settings.ts';

/** `isToTidy`: whether what an earlier vagent kept is removed as well. */
export function checksFor(context: Context, isToTidy: boolean): Check[] {
  return [
    ...settingsChecks(context),
    ...(meansLocal(context) ? localChecks(context) : [...networkChecks(context), ...remoteChecks(context)]),
    ...(isToTidy ? [tidyCheck(context)] : []),
  ];
}

/** If the settings are too broken to say, a service is assumed. */
function meansLocal(context: Context): boolean {
  try {
    return !context.settings.isRemote();
  } catch (error) {
    if (error instanceof VagentError) return false;
    throw error;
  }
}
