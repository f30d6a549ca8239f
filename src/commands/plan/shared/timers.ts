/** The timers that run plans, as commands of plans know them. */
import { createHash } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { connectionFlags, type GlobalFlags } from '../../../cli/flags/global.ts';
import { filled } from '../../../cli/flags/values.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { requireEncryption, type Settings } from '../../../settings/settings.ts';
import { timersFound } from '../../../settings/timers/timers.ts';
import { everyInWords } from '../../../settings/timers/written.ts';
import { storeKey } from '../../../storage/files/store-place.ts';
import { readUrl } from '../../../text/url.ts';

/** Digits of a hash of where the register is: each has a plan 1. */
export function registerKey(settings: Settings): string {
  return createHash('sha256').update(storeKey(settings.register())).digest('hex').slice(0, 8);
}

/** The timers of plans of the register, in words: `every 10 min, cron`. */
export async function timersInWords({ settings, signal }: Context): Promise<Map<number, string>> {
  const key = registerKey(settings);
  const found = await timersFound({ env: settings.env, signal, platform: process.platform });
  const own = found.filter((timer) => timer.key === key);
  return new Map(
    own.map(({ planId, system, minutes }) => {
      return [planId, `${minutes === undefined ? 'changed by hand' : everyInWords(minutes)}, ${system}`];
    }),
  );
}

/** Of a plan that nobody wants to be run, or not by that timer: what to do about it. Undefined if there is none. */
export async function timerThatStays(planId: number, context: Context): Promise<string | undefined> {
  const timer = (await timersInWords(context)).get(planId);
  const remove = `vagent plan schedule ${planId} --remove${connectionFlags(context.flags)}`;
  return timer && `A timer (${timer}) runs plan ${planId}: ${remove} takes it away.`;
}

/** Whether there is one. */
export async function warnOfTimer(planId: number, context: Context): Promise<boolean> {
  const timer = await timerThatStays(planId, context);
  if (timer !== undefined) context.io.warn(timer);
  return timer !== undefined;
}

/** A command is run as it is written; an address must be one. */
export function notifyTarget(text: string): string {
  const target = filled(text);
  if (isAddress(target) && readUrl(target) === undefined) throw new InvalidArgumentError('It is no address.');
  return target;
}

export function isAddress(target: string): boolean {
  return /^https?:\/\//i.test(target);
}

/** Throws UsageError for an address that is not encrypted, or to which something would not be sent. */
export function requireSafeNotice(target: string | undefined, flags: GlobalFlags): void {
  if (target === undefined || !isAddress(target)) return;
  const url = new URL(target);
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--notify: what stands before the @ of an address is not sent.', {
      hint: 'Have a command post it, such as curl.',
    });
  }
  requireEncryption(url, flags, '--notify sends there what becomes of a plan');
}
