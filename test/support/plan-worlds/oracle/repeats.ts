/** How often and how soon somebody may be called again: by the plan itself, and by all that this register sent. */
import type { Dial, Post } from '../history.ts';
import { MINUTE, type Rules } from '../world.ts';
import { describe } from './hours.ts';
import { type Breach, type DialOfPlan, planAt, time, type View } from './view.ts';

const HOUR = 60 * MINUTE;
/** Services tell their time in whole seconds. */
const CLOCK = 1000;

export function* tooOften(view: View, plan: number): Generator<Breach> {
  const before = new Map<string, DialOfPlan[]>();
  let last: DialOfPlan | undefined;
  for (const call of view.dialsOf(plan)) {
    const { rules } = planAt(view, plan, call.post.seq);
    const earlier = before.get(call.row.key) ?? [];
    before.set(call.row.key, [...earlier, call]);
    const count = earlier.length + 1;
    if (count > rules.maxAttempts) yield { rule: 'attempts', text: `${describe(call)}: attempt ${count}` };
    const previous = earlier.at(-1);
    if (previous !== undefined) yield* tooSoonAfter(previous, call, rules);
    yield* tooNear(view, call, rules);
    // A slow service is still at one wave when the next one begins.
    const isBehind = view.history.pace !== 1 && last?.post !== call.post;
    const apart = last === undefined || isBehind ? Number.POSITIVE_INFINITY : call.dial.at - last.dial.at;
    const pace = Math.max(rules.callsPerHour, last?.post.callsPerHour ?? 0);
    if (apart < Math.floor(HOUR / pace) - CLOCK) {
      yield { rule: 'pace', text: `${describe(call)}: ${apart} ms after ${last === undefined ? '' : describe(last)}` };
    }
    last = call;
  }
}

/** The rule of the result, where the plan could know it; what it could not know is a matter of `unknown`. */
function* tooSoonAfter(previous: DialOfPlan, call: DialOfPlan, rules: Rules): Generator<Breach> {
  if (previous.dial.shownAt > call.post.at) return;
  const result = resultOf(previous.dial);
  const delay = result === 'reached' ? null : rules.retry[result];
  const text = `${describe(call)}: after ${result} at ${time(previous.dial.at)}`;
  if (delay === null) yield { rule: 'retry', text: `${text}, which is never tried again` };
  else if (call.dial.at - previous.dial.at < delay * MINUTE) yield { rule: 'retry', text: `${text}, not ${delay} min` };
}

export function resultOf({ status, outcome }: Dial): 'reached' | 'voicemail' | 'busy' | 'no_answer' | 'failed' {
  if (status !== 'completed') return status as 'busy' | 'no_answer' | 'failed';
  return outcome === 'voicemail_left' ? 'voicemail' : 'reached';
}

function* tooNear(view: View, call: DialOfPlan, { minGap, perNumber }: Rules): Generator<Breach> {
  const { dial, post } = call;
  const isOther = (other: Dial) => other !== dial && isKnown(view, other, post) && !isMistaken(view, other, call);
  const others = view.dialsTo(dial.phone).filter(isOther);
  const near = others.find((other) => Math.abs(dial.at - other.at) < minGap * MINUTE && isToBlame(view, other, call));
  if (near !== undefined) {
    yield { rule: 'gap', text: `${describe(call)}: ${callOf(view, near)} was at ${time(near.at)}, gap ${minGap} min` };
  }
  if (perNumber === undefined) return;
  const span = perNumber.within * MINUTE;
  const within = others.filter(({ at }) => at <= dial.at && at > dial.at - span);
  if (within.length + 1 > perNumber.count) {
    const all = within.map((other) => `${callOf(view, other)} at ${time(other.at)}`).join(', ');
    yield {
      rule: 'cap of a number',
      text: `${describe(call)}: ${all}; cap ${perNumber.count} in ${perNumber.within} min`,
    };
  }
}

/** Whether the plan took a call of others for the one of its own that the log did not show yet. */
function isMistaken(view: View, own: Dial, { dial, post, plan }: DialOfPlan): boolean {
  const isHidden = view.postOf(own).wave?.plan === plan && own.shownAt > post.at;
  return isHidden && view.likeOwn(plan).some(({ phone, shownAt }) => phone === dial.phone && shownAt <= post.at);
}

/**
 * Whether the plan could know of a call when it sent this wave: it went through the register before, or is a plan's, or the log
 * had it.
 */
function isKnown(view: View, other: Dial, post: Post): boolean {
  const sent = view.postOf(other);
  if (sent.isForeign) return other.shownAt <= post.at;
  return sent.seq <= post.seq || sent.wave !== undefined;
}

/** Of two calls that are too near each other, the plan that was sent later is to blame. */
function isToBlame(view: View, other: Dial, { dial, post }: DialOfPlan): boolean {
  const sent = view.postOf(other);
  if (other.at > dial.at) return sent.seq < post.seq;
  return sent.seq <= post.seq || sent.wave !== undefined;
}

function callOf(view: View, dial: Dial): string {
  const { wave, isForeign, kind } = view.postOf(dial);
  if (wave !== undefined) return `plan ${wave.plan}, wave ${wave.number}`;
  return isForeign ? 'a call of others' : `a ${kind} beside`;
}
