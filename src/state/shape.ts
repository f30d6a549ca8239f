/**
 * What of the folder is shared, and how. All that one lock guards is a **scope**: it is changed by one machine at a time, and copied as
 * one. Paths are relative to the folder, with `/`.
 */

/**
 * `lines`: grows by whole lines, unless it is replaced. `whole`: replaced as one. `seed`: copied when its scope is new, and each machine
 * makes of it what follows from the lines. `own`: can be made anew from the others, or means something on this machine only.
 */
export type Kind = 'lines' | 'whole' | 'seed' | 'own';

const LINES = /^(register\.jsonl|plans\/opted-out\.jsonl|plans\/\d+\/journal\.jsonl)$/;
const SEED = /^plans\/\d+\/(plan\.json|states\.bin)$/;
const OWN =
  /(^|\/)(lock|[^/]*\.lock|[^/]*\.new)(\/|$)|^register\.(index|import)$|^campaigns\/[^/]*\.(phones|summary\.json)$|^plans\/\d+\/changed\.bin$/;
/** Part of the folder where the copies of others are kept, or where other things of this machine are. */
const SHARED = /^(register\.jsonl|campaigns\/|redials\/|plans\/)/;
/** A wish that a plan stops is made while another machine holds the plan. */
const MARKER = /^plans\/\d+\/stop\.json$/;
const PLAN = /^plans\/\d+(?=\/|$)/;

export const REGISTER = 'register';
export const PLANS = 'plans';
export const OPTED_OUT = 'plans/opted-out';

export function kindOf(path: string): Kind {
  if (OWN.test(path) || !SHARED.test(path)) return 'own';
  if (LINES.test(path)) return 'lines';
  return SEED.test(path) ? 'seed' : 'whole';
}

export function scopeOf(path: string): string {
  if (MARKER.test(path)) return path;
  const [plan] = PLAN.exec(path) ?? [];
  return plan ?? (path.startsWith(`${OPTED_OUT}.`) ? OPTED_OUT : REGISTER);
}

/** What the lock at a path guards. */
export function scopeOfLock(lock: string): string {
  if (lock === 'plans/lock') return PLANS;
  return lock === 'plans/opted-out.lock' ? OPTED_OUT : scopeOf(lock);
}

/** The lock of a scope; undefined if none guards it. */
export function lockOf(scope: string): string | undefined {
  if (isMarker(scope)) return undefined;
  if (scope === REGISTER) return 'register.lock';
  return scope === OPTED_OUT ? 'plans/opted-out.lock' : `${scope}/lock`;
}

export function isMarker(scope: string): boolean {
  return MARKER.test(scope);
}

/** The folder of a plan that is a scope; undefined if it is something else. */
export function planFolderOf(scope: string): string | undefined {
  return PLAN.exec(scope)?.[0] === scope ? scope : undefined;
}

/** Whether a scope holds what a command needs that reads the register, or the plans. */
export function isPartOf(scope: string, part: 'register' | 'plans'): boolean {
  return (scope === REGISTER) === (part === 'register');
}

/** Files of this machine that say of people what a file says that another machine has removed. */
export function derivedFrom(path: string): string[] {
  const [, entry] = /^campaigns\/(\d+)\.jsonl$/.exec(path) ?? [];
  return entry === undefined ? [] : [`campaigns/${entry}.phones`, `campaigns/${entry}.summary.json`];
}
