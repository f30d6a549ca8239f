/**
 * Whom nothing may call any more: from the moment at which the log shows that somebody opted out, in any request that went
 * through the register, no plan calls that phone that had to read it, and nothing else does once a plan has.
 */
import type { Dial, Post } from '../history.ts';
import { HOUR } from '../world.ts';
import { type Breach, planAt, time, type View } from './view.ts';

/** An entry that comes into the log so long after the call is still found. */
const FOUND = 20 * HOUR;

/** Before its first wave, and before each other, a plan has read all that was sent to its numbers. */
export function* calledByPlan(view: View, plan: number): Generator<Breach> {
  for (const wave of view.wavesOf(plan)) {
    for (const { phone, key } of wave.contacts) {
      const refusal = view.dialsTo(phone).find((dial) => hadToBeRead(view, dial, plan, wave));
      if (refusal === undefined) continue;
      const name = `plan ${plan}, wave ${wave.wave?.number} at ${time(wave.at)}`;
      yield { rule: 'opted out', text: `${name}: ${key} ${phone}, ${refusal.outcome} at ${time(refusal.at)}` };
    }
  }
}

/** An outcome is an opt-out by the rules of the plan that reads it, or of the one that made the call. */
function hadToBeRead(view: View, dial: Dial, plan: number, wave: Post): boolean {
  const { isForeign, seq, wave: of } = view.postOf(dial);
  if (isForeign || seq >= wave.seq || dial.shownAt > wave.at) return false;
  const isOptOut = [plan, of?.plan ?? plan].some((one) =>
    planAt(view, one, wave.seq).rules.optOut.includes(dial.outcome),
  );
  return isOptOut && (of?.plan === plan || isFound(view, dial, plan));
}

function isFound(view: View, { at, shownAt }: Dial, plan: number): boolean {
  return shownAt <= planAt(view, plan).createdAt || shownAt - at < FOUND;
}

/** A single call, or a campaign that is no plan's. */
export function* calledBeside(view: View): Generator<Breach> {
  const { posts, isLocal } = view.history;
  if (isLocal) return;
  for (const post of posts.filter(({ wave, isForeign, answer }) => !wave && !isForeign && answer !== 'refused')) {
    for (const { phone } of post.contacts) {
      const refusal = view.dialsTo(phone).find((dial) => wasRead(view, dial, post));
      if (refusal === undefined) continue;
      const text = `${post.kind} at ${time(post.at)}: ${phone}, ${refusal.outcome} at ${time(refusal.at)}`;
      yield { rule: 'opted out', text };
    }
  }
}

/** By a plan that has the phone, and was run since and is still open: one that is over does not look. */
function wasRead(view: View, dial: Dial, post: Post): boolean {
  const { isForeign, seq } = view.postOf(dial);
  const { plans, looks } = view.history;
  if (isForeign || seq >= post.seq) return false;
  return plans.some(({ rows }, plan) => {
    if (!rows.some(({ phone }) => phone === dial.phone)) return false;
    const isAfter = (look: (typeof looks)[number]) =>
      planAt(view, plan, look.seq).rules.optOut.includes(dial.outcome) &&
      look.plan === plan &&
      look.isAfterRun &&
      look.state === 'open' &&
      look.seq < post.seq &&
      look.at > dial.shownAt;
    return isFound(view, dial, plan) && looks.some(isAfter);
  });
}
