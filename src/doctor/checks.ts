/** The checks of `vagent doctor`, in the order in which they are made and shown. A new one is a line here. */
import type { Context } from '../context.ts';
import { VagentError } from '../errors.ts';
import type { Check } from './check.ts';
import { localChecks } from './local.ts';
import { networkChecks } from './network.ts';
import { remoteChecks } from './remote.ts';
import { settingsChecks } from './settings.ts';

export function checksFor(context: Context): Check[] {
  return [
    ...settingsChecks(context),
    ...(meansLocal(context) ? localChecks(context) : [...networkChecks(context), ...remoteChecks(context)]),
  ];
}

/** Where the settings are too broken to say, what was meant is a service. */
function meansLocal(context: Context): boolean {
  try {
    return !context.isRemote;
  } catch (error) {
    if (error instanceof VagentError) return false;
    throw error;
  }
}
