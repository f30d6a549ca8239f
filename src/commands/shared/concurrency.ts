/** Default number of pages requested at a time. The local engine gains nothing from more than one. */
import type { Context } from '../../context.ts';

export const REMOTE_CONCURRENCY = 4;

export function concurrencyOf({ settings }: Context): number {
  return settings.isRemote() ? REMOTE_CONCURRENCY : 1;
}
