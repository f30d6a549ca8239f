/** What may be sent: nothing after a stop, nothing twice, no more than the canary and the callers' caps allow, nobody excluded. */
import type { Post } from '../history.ts';
import { NUMBERS } from '../service.ts';
import { HOUR, MINUTE } from '../world.ts';
import { resultOf } from './repeats.ts';
import { type Breach, planAt, time, type View } from './view.ts';

interface Sent {
  view: View;
  plan: number;
  wave: Post;
  /** The waves before it. */
  earlier: readonly Post[];
  name: string;
}

export function* wronglySent(view: View, plan: number): Generator<Breach> {
  const waves = view.wavesOf(plan);
  const judges = [
    afterStop,
    misshapen,
    twice,
    beyondCanary,
    beyondCallersCap,
    notToBeCalled,
    lastUnknown,
    afterBreaker,
  ];
  for (const [at, wave] of waves.entries()) {
    const name = `plan ${plan}, wave ${wave.wave?.number} at ${time(wave.at)}`;
    for (const find of judges) yield* find({ view, plan, wave, earlier: waves.slice(0, at), name });
  }
}

function* twice({ wave, earlier, name }: Sent): Generator<Breach> {
  if (earlier.some((other) => other.wave?.number === wave.wave?.number)) yield { rule: 'wave twice', text: name };
}

function* afterStop({ view: { history }, plan, wave, name }: Sent): Generator<Breach> {
  const before = history.told.filter((one) => one.plan === plan && one.seq < wave.seq && one.what !== 'ran');
  const last = before.at(-1);
  if (last?.what === 'stopped') yield { rule: 'stop', text: `${name}: stopped at ${time(last.at)}` };
  const cancelled = before.find(({ what }) => what === 'cancelled');
  if (cancelled !== undefined) yield { rule: 'cancel', text: `${name}: cancelled at ${time(cancelled.at)}` };
}

function* misshapen({ view, plan, wave, name }: Sent): Generator<Breach> {
  const { rules, rows } = planAt(view, plan, wave.seq);
  const wrong = (text: string): Breach => ({ rule: 'shape of a wave', text: `${name}: ${text}` });
  const { contacts, startTime, callsPerHour, retries, from } = wave;
  if (retries !== 0) yield wrong(`${retries} retries`);
  if (callsPerHour !== rules.callsPerHour) yield wrong(`${callsPerHour} calls per hour`);
  if (startTime !== undefined && !startTime.endsWith('Z')) yield wrong(`starts at ${startTime}`);
  if (!NUMBERS.slice(0, rules.fromNumbers).includes(from)) yield wrong(`from ${from}`);
  const minutes = ((contacts.length - 1) * 60) / rules.callsPerHour;
  if (contacts.length > 1 && minutes > rules.wave) yield wrong(`takes ${minutes} min`);
  const known = new Map(rows.map(({ key, phone }) => [key, phone]));
  const strange = contacts.find(({ key, phone }) => known.get(key) !== phone);
  if (strange !== undefined) yield wrong(`${strange.phone} ${strange.key} is nobody of the plan`);
  if (new Set(contacts.map(({ phone }) => phone)).size < contacts.length) yield wrong('somebody is called twice');
}

/**
 * The first wave is small, and the next one waits for somebody who resumes. A first wave may never have arrived, because its sender
 * was killed: then the numbers of the waves have a gap, and it counts as if it had, but where the plan itself knows that it was not
 * sent, and on the local engine, which can be asked.
 */
function* beyondCanary({ view, plan, wave, earlier, name }: Sent): Generator<Breach> {
  const { canary } = planAt(view, plan, wave.seq).rules;
  if (canary === undefined) return;
  const first = earlier[0] ?? wave;
  const before = view.history.posts.filter((post) => post.wave?.plan === plan && post.seq < first.seq);
  const mayBeLost = !view.history.isLocal && (first.wave?.number ?? 0) > before.length + 1;
  const look = view.history.looks.findLast((one) => one.plan === plan && one.seq < first.seq);
  const isAwaited = look === undefined || look.contacts.calling !== 0 || look.contacts.no_result !== 0;
  const isResumed = view.resumedBefore(plan, wave.seq) > (mayBeLost ? 0 : first.seq);
  if (isResumed) return;
  const { length } = wave.contacts;
  if (wave !== first || (mayBeLost && isAwaited)) yield { rule: 'canary', text: `${name}: nobody resumed` };
  else if (length > canary) yield { rule: 'canary', text: `${name}: ${length} contacts` };
}

/** Counted when they were sent, when they begin, and one by one at their pace: a plan may do any of these. */
function* beyondCallersCap({ view, plan, wave, earlier, name }: Sent): Generator<Breach> {
  const { fromCap } = planAt(view, plan, wave.seq).rules;
  if (fromCap === undefined) return;
  const given = (when: (post: Post) => number) =>
    [...earlier, wave]
      .filter((post) => post.from === wave.from && when(post) > when(wave) - fromCap.within * MINUTE)
      .reduce((sum, { contacts }) => sum + contacts.length, 0);
  const begin = ({ at, startTime }: Post) => Date.parse(startTime ?? time(at));
  const planned = [...earlier, wave]
    .filter(({ from }) => from === wave.from)
    .flatMap((post) => post.contacts.map((_contact, place) => begin(post) + (place * HOUR) / post.callsPerHour));
  const within = (at: number) => planned.filter((dial) => dial > at - fromCap.within * MINUTE && dial <= at).length;
  const least = Math.min(
    given(({ at }) => at),
    given(begin),
    Math.max(...planned.map(within)),
  );
  if (least > fromCap.count)
    yield { rule: 'cap of a caller', text: `${name}: ${least} of ${wave.from}, cap ${fromCap.count}` };
}

function* notToBeCalled({ view, wave, name }: Sent): Generator<Breach> {
  const { excluded } = view.history;
  const isExcluded = new Set(excluded.filter(({ seq }) => seq < wave.seq).map(({ phone }) => phone));
  for (const { phone, key } of wave.contacts) {
    if (isExcluded.has(phone)) yield { rule: 'excluded', text: `${name}: ${key} ${phone}` };
  }
}

/** Whoever was handed over before must have been seen in the log since, or an operator must have said to go on without. */
function* lastUnknown({ view, plan, wave, earlier, name }: Sent): Generator<Breach> {
  for (const { key, phone } of wave.contacts) {
    const last = earlier.findLast(({ contacts }) => contacts.some((contact) => contact.key === key));
    if (last === undefined) continue;
    const isSeen = (view.dialOf(last, key)?.shownAt ?? Number.POSITIVE_INFINITY) <= wave.at;
    if (view.likeOwn(plan).some((dial) => dial.phone === phone && dial.shownAt <= wave.at)) continue;
    const isRecalled = view.history.told.some(
      (one) => one.plan === plan && one.what === 'recalling' && one.seq > last.seq && one.seq < wave.seq,
    );
    if (!isSeen && !isRecalled) {
      yield { rule: 'unknown', text: `${name}: ${key} of wave ${last.wave?.number} (${last.answer}) was not seen yet` };
    }
  }
}

/** Only where the log was never late: then the order of what was seen is that of the calls. */
function* afterBreaker({ view, plan, wave, name }: Sent): Generator<Breach> {
  const { stopOn } = planAt(view, plan, wave.seq).rules;
  const dials = view.dialsOf(plan);
  if (stopOn === undefined || dials.some(({ dial }) => dial.shownAt > dial.at)) return;
  const since = view.resumedBefore(plan, wave.seq);
  const seen = dials.filter(({ dial, post }) => dial.at <= wave.at && post.seq > since && post.seq < wave.seq);
  const last = seen.slice(-stopOn.over);
  const failed = last.filter(({ dial }) => resultOf(dial) === 'failed').length;
  if (last.length === stopOn.over && (100 * failed) / stopOn.over > stopOn.percent) {
    yield { rule: 'breaker', text: `${name}: ${failed} of the last ${stopOn.over} had failed` };
  }
}
