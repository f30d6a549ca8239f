/** What must happen sometimes, or the worlds are too tame to show anything. */

import type { Dial } from './history.ts';
import { localTime, offsetOf } from './local-time.ts';
import { planAt, type View, viewOf } from './oracle/view.ts';
import type { Played } from './stage.ts';
import { HOUR, type World } from './world.ts';

/** What a world is made of, as far as worlds of one kind may hide what those of another show. */
export function facetsOf({ isLocal, crowd, plans, steps, late, pace, ahead }: World): string[] {
  const fault = (step: World['steps'][number]) => {
    if (!('fault' in step) || step.fault === undefined) return [];
    return [JSON.stringify(['kind' in step.fault ? { ...step.fault, at: 0 } : step.fault.on, isLocal])];
  };
  return [
    ...(isLocal ? ['local'] : [`late ${late.most}`, `pace ${pace}`, `ahead ${ahead}`]),
    ...(crowd > 0 ? ['a crowd'] : []),
    `${plans.length} plans`,
    ...steps.flatMap((step) => [`${step.do} ${isLocal}`, ...fault(step)]),
  ];
}

/** Later than a plan looks back for anything else. */
const OLD = 26 * HOUR;

/** Of a whole world. */
const IN_WORLD = {
  'a wave withheld for a window': ({ waits }) => waits.has('window'),
  'a wave withheld for a cap': ({ waits }) => ['cap', 'gap', 'from_cap'].some((why) => waits.has(why)),
  'a budget stop': (played) => isHalted(played, 'stopped', /budget/),
  'a breaker stop': (played) => isHalted(played, 'stopped', /fail|breaker/),
  'a canary that waits': (played) => isHalted(played, 'waiting', /./),
  'a process killed': ({ kills }) => kills > 0,
  'a wave withheld because the machine slept': ({ transcript }) => says(transcript, /wave_too_late/),
  'rules that a wave which is out would break': ({ transcript }) => says(transcript, /was not changed: wave/),
  'a request beside to somebody who opted out': ({ transcript }) => says(transcript, /opted out of calls/),
} satisfies Record<string, (played: Played) => boolean>;

/** Of one of its plans. */
const IN_PLAN = {
  'an old opt-out in another request': ({ view, plan }) => {
    const { rules, createdAt, rows } = planAt(view, plan);
    const isOld = ({ at, shownAt, outcome }: Dial) =>
      at < createdAt - OLD && shownAt <= createdAt && rules.optOut.includes(outcome);
    return rows.some(({ phone }) => view.dialsTo(phone).some(isOld)) && view.wavesOf(plan).length > 0;
  },
  'a retry across midnight': (one) =>
    hasRetry(one, (then, now, zone) => localTime(then, zone).date !== localTime(now, zone).date),
  'a retry across a change of clocks': (one) =>
    hasRetry(one, (then, now, zone) => offsetOf(then, zone) !== offsetOf(now, zone)),
  'a wave by two clocks': ({ view, plan }) => Math.abs(view.history.ahead) > 60_000 && view.wavesOf(plan).length > 0,
  'an unknown wave found placed later': (one) => foundLater(one).length > 0,
  'a wave of a process that was killed': (one) => foundLater(one).some(({ isOrphan }) => isOrphan === true),
  'a call beside in the log before a wave': ({ view, plan }) =>
    view.wavesOf(plan).some(({ at, contacts }) => {
      const isBeside = (dial: Dial) => view.postOf(dial).wave === undefined && dial.shownAt <= at;
      return contacts.some(({ phone }) => view.dialsTo(phone).some(isBeside));
    }),
  'nobody ever saw a call': (one) => countAtEnd(one, 'no_result') > 0,
  'the end of a plan left somebody': (one) => countAtEnd(one, 'not_called') > 0,
  'a contact excluded': (one) => countAtEnd(one, 'excluded') > 0,
  'a refusal for want of money': (one) => wasRefused(one, 402),
  'a refusal for haste': (one) => wasRefused(one, 429),
  'other rules, and a wave after them': ({ view, plan }) =>
    view.wavesOf(plan).some((wave) => planAt(view, plan).edits.some(({ seq }) => seq < wave.seq)),
  'a stop, and no wave after it': ({ view, plan }) =>
    view.history.told.some((one) => one.plan === plan && one.what === 'stopped'),
} satisfies Record<string, (one: OnePlan) => boolean>;

interface OnePlan {
  view: View;
  plan: number;
}

export type Sometimes = keyof typeof IN_WORLD | keyof typeof IN_PLAN;
export const SOMETIMES = [...Object.keys(IN_WORLD), ...Object.keys(IN_PLAN)] as readonly Sometimes[];

export function happened(played: Played): Set<Sometimes> {
  const view = viewOf(played.history);
  const plans = [...played.history.plans.keys()];
  return new Set([
    ...namesOf(IN_WORLD).filter((what) => IN_WORLD[what](played)),
    ...namesOf(IN_PLAN).filter((what) => plans.some((plan) => IN_PLAN[what]({ view, plan }))),
  ]);
}

function namesOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}

function isHalted({ states }: Played, state: string, word: RegExp): boolean {
  return states.some((one) => one.state === state && word.test(JSON.stringify(one.reason)));
}

function says(transcript: readonly string[], words: RegExp): boolean {
  return transcript.some((line) => words.test(line));
}

function countAtEnd({ view, plan }: OnePlan, state: string): number {
  return view.history.looks.findLast((look) => look.plan === plan)?.contacts[state] ?? 0;
}

function hasRetry({ view, plan }: OnePlan, isSo: (then: number, now: number, zone: string) => boolean): boolean {
  const last = new Map<string, number>();
  return view.dialsOf(plan).some(({ dial, row }) => {
    const then = last.get(row.key);
    last.set(row.key, dial.at);
    return then !== undefined && row.zones.some((zone) => isSo(then, dial.at, zone));
  });
}

/** Waves that were unknown, and of which everybody was seen. */
function foundLater({ view, plan }: OnePlan) {
  const last = view.history.looks.findLast((look) => look.plan === plan);
  if (last?.contacts.no_result !== 0) return [];
  const isMade = (wave: ReturnType<View['wavesOf']>[number]) =>
    wave.contacts.some(({ key }) => view.dialOf(wave, key) !== undefined);
  return view.wavesOf(plan).filter((wave) => wave.answer === 'unknown' && isMade(wave));
}

function wasRefused({ view, plan }: OnePlan, status: number): boolean {
  const isOfPlan = ({ wave, answer }: { wave?: { plan: number }; answer: string }) =>
    wave?.plan === plan && answer === 'refused';
  return view.history.posts.some((post) => isOfPlan(post) && post.status === status);
}
