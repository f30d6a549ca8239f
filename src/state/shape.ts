/**
 * What of the folder is shared, and how. All that one lock guards is a **scope**: it is changed by one machine at a time, and copied as
 * one. Paths are relative to the folder, with `/`.
 */

/**
 * `lines`: grows by whole lines, unless it is replaced. `whole`: replaced as one. `seed`: copied when its scope is new, and each machine
 * makes of it what follows from the lines. `own`: can be made anew from the others, or means something on this machine only.
 */
export type Kind = 'lines' | 'whole' | 'seed' | 'own';

/** Nothing else is ever written, whatever a database names: these are all the files that are shared. */
const LINES = /^(register\.jsonl|plans\/opted-out\.jsonl|plans\/[1-9]\d{0,14}\/journal\.jsonl)$/;
const SEED = /^plans\/[1-9]\d{0,14}\/(plan\.json|states\.bin)$/;
const WHOLE = /^(campaigns\/[1-9]\d{0,14}(\.rows)?\.jsonl|redials\/[1-9]\d{0,14}\.json|plans\/opted-out\.count\.json)$/;
const WHOLE_OF_PLAN =
  /^plans\/[1-9]\d{0,14}\/(contacts\.jsonl|contacts\.bin|rows\.jsonl|log\.json|told\.json|stop\.json|forgotten)$/;
/** A wish that a plan stops is made while another machine holds the plan. */
const MARKER = /^plans\/[1-9]\d{0,14}\/stop\.json$/;
const PLAN = /^plans\/[1-9]\d{0,14}(?=\/|$)/;

export const REGISTER = 'register';
export const PLANS = 'plans';
export const OPTED_OUT = 'plans/opted-out';

export function kindOf(path: string): Kind {
  if (LINES.test(path)) return 'lines';
  if (SEED.test(path)) return 'seed';
  return WHOLE.test(path) || WHOLE_OF_PLAN.test(path) ? 'whole' : 'own';
}

/** Whether it is there for good once it is there, and never has fewer lines: who was called stands in it. */
export function isLasting(path: string): boolean {
  return path === 'register.jsonl' || path === `${OPTED_OUT}.jsonl`;
}

/** Of a file, or of what its lock guards. */
export function scopeOf(path: string): string {
  if (MARKER.test(path)) return path;
  const [plan] = PLAN.exec(path) ?? [];
  if (plan !== undefined) return plan;
  if (path.startsWith(`${OPTED_OUT}.`)) return OPTED_OUT;
  return path.startsWith(`${PLANS}/`) ? PLANS : REGISTER;
}

/** Whether it is a scope that has files: all plans have a lock only. */
export function isScope(scope: string): boolean {
  return scope === REGISTER || scope === OPTED_OUT || isMarker(scope) || planFolderOf(scope) !== undefined;
}

/** The lock of a scope; undefined if none guards it. */
export function lockOf(scope: string): string | undefined {
  if (isMarker(scope)) return undefined;
  if (scope === REGISTER) return 'register.lock';
  return scope === OPTED_OUT ? 'plans/opted-out.lock' : `${scope}/lock`;
}

/** The wish that a plan stops; undefined of what is no plan. */
export function markerOf(scope: string): string | undefined {
  return planFolderOf(scope) && `${scope}/stop.json`;
}

export function isMarker(scope: string): boolean {
  return MARKER.test(scope);
}

/** The folder of a plan that is a scope; undefined if it is something else. */
export function planFolderOf(scope: string): string | undefined {
  return PLAN.exec(scope)?.[0] === scope ? scope : undefined;
}

/** Whether a scope holds what a command needs that reads the register, or the plans: both need to know who opted out. */
export function isPartOf(scope: string, part: 'register' | 'plans'): boolean {
  return scope === OPTED_OUT || (scope === REGISTER) === (part === 'register');
}

/** Files of this machine that say of people what a file says that another machine has removed. */
export function derivedFrom(path: string): string[] {
  const [, entry] = /^campaigns\/(\d+)\.jsonl$/.exec(path) ?? [];
  return entry === undefined ? [] : [`campaigns/${entry}.phones`, `campaigns/${entry}.summary.json`];
}
