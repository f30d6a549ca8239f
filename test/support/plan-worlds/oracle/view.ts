/** The history in the order in which the rules ask for it. */
import type { Dial, History, Look, PlanOfHistory, Post, Row } from '../history.ts';
import { HOUR } from '../world.ts';

export const RULES = [
  ...['window', 'skipped date', 'before the start', 'after the end'],
  ...['attempts', 'retry', 'gap', 'cap of a number', 'pace'],
  ...['stop', 'cancel', 'canary', 'cap of a caller', 'wave twice', 'shape of a wave', 'excluded'],
  ...['opted out', 'unknown', 'breaker'],
  ...['budget', 'counts', 'lost', 'idle', 'truth', 'behaviour'],
] as const;
export type Rule = (typeof RULES)[number];

/** What must not be. */
export interface Breach {
  rule: Rule;
  text: string;
}

/** A call that a plan made, with everything that belongs to it. */
export interface DialOfPlan {
  dial: Dial;
  post: Post;
  plan: number;
  row: Row;
}

export interface View {
  history: History;
  postOf: (dial: Dial) => Post;
  /** Of one plan, in the order of time. */
  dialsOf: (plan: number) => readonly DialOfPlan[];
  /** Its requests in the order of their arrival, without those that were surely not carried out. */
  wavesOf: (plan: number) => readonly Post[];
  /** All calls to a phone, by whomever, in the order of time. */
  dialsTo: (phone: string) => readonly Dial[];
  dialOf: (post: Post, key: string) => Dial | undefined;
  /** Whether contacts are in a wave that never arrived, because its sender was killed: which ones is not known here. */
  hasLost: (plan: number, look: Look) => boolean;
  /**
   * Calls that others made, without the register, from a number of the plan to somebody of whom it awaited a call or had just
   * seen one. Nothing in the log tells them from its own: it takes them for those, or, and then it stops, for a second attempt or
   * for a call of a wave that the service had refused.
   */
  likeOwn: (plan: number) => readonly Dial[];
  /**
   * Calls of other requests, from the same number, to somebody of whom a plan awaited its own call, or that had not come into
   * the log when it was sent: where both may have made one that was answered, the plan takes it for its own, because then it
   * calls nobody again, and else for none of its own.
   */
  rivals: (plan: number) => readonly Dial[];
  /** The `seq` at which a plan was last asked to go on before a request; 0 if it never was. */
  resumedBefore: (plan: number, seq: number) => number;
}

/** A wave of an hour or two, and the day in which its calls are awaited. */
const AWAITED = 26 * HOUR;
/** Of contacts that were in a wave; those who wait for another attempt were so at an earlier look. */
const SUBMITTED = ['calling', 'reached', 'not_reached', 'no_result'];

export function viewOf(history: History): View {
  const { plans, posts, dials, told } = history;
  const bySeq = new Map(posts.map((post) => [post.seq, post]));
  const rows = plans.map((plan) => new Map(plan.rows.map((row) => [row.key, row])));
  const ofPlan: DialOfPlan[][] = plans.map(() => []);
  const toPhone = new Map<string, Dial[]>();
  const ofPost = new Map<string, Dial>();
  for (const dial of dials) {
    const post = bySeq.get(dial.post) as Post;
    toPhone.set(dial.phone, [...(toPhone.get(dial.phone) ?? []), dial]);
    const key = post.contacts[dial.row]?.key ?? '';
    if (!ofPost.has(`${post.seq} ${key}`)) ofPost.set(`${post.seq} ${key}`, dial);
    const plan = post.wave?.plan;
    if (plan === undefined) continue;
    const row = rows[plan]?.get(key) ?? { key, phone: dial.phone, country: '', zones: [] };
    ofPlan[plan]?.push({ dial, post, plan, row });
  }
  const wavesOf = once((plan) => posts.filter(({ wave, answer }) => wave?.plan === plan && answer !== 'refused'));
  const isLostAt = (plan: number, { seq, contacts }: Look) => {
    const arrived = wavesOf(plan).filter((wave) => wave.seq < seq);
    const known = new Set(arrived.flatMap((wave) => wave.contacts.map(({ key }) => key)));
    return SUBMITTED.reduce((sum, state) => sum + (contacts[state] ?? 0), 0) > known.size;
  };
  const hasLost = (plan: number, { seq }: Look) =>
    history.looks.some((look) => look.plan === plan && look.seq <= seq && isLostAt(plan, look));
  const rivals = once((plan) => {
    const isLost = history.looks.some((look) => look.plan === plan && hasLost(plan, look));
    const people = new Set(isLost ? plans[plan]?.rows.map(({ phone }) => phone) : []);
    const waves = new Map<string, Post[]>();
    for (const post of posts.filter(({ wave }) => wave?.plan === plan)) {
      for (const { phone } of post.contacts) waves.set(phone, [...(waves.get(phone) ?? []), post]);
    }
    const isOfWave = ({ phone, from, at, shownAt }: Dial) =>
      waves.get(phone)?.some((post) => post.from === from && post.at < shownAt && at < post.at + AWAITED) === true;
    return dials.filter(
      (dial) => bySeq.get(dial.post)?.wave?.plan !== plan && (people.has(dial.phone) || isOfWave(dial)),
    );
  });
  const likeOwn = once((plan) => rivals(plan).filter((dial) => bySeq.get(dial.post)?.isForeign === true));
  return {
    history,
    hasLost,
    rivals,
    likeOwn,
    postOf: (dial) => bySeq.get(dial.post) as Post,
    dialsOf: (plan) => ofPlan[plan] ?? [],
    wavesOf,
    dialsTo: (phone) => toPhone.get(phone) ?? [],
    dialOf: (post, key) => ofPost.get(`${post.seq} ${key}`),
    resumedBefore: (plan, seq) =>
      told
        .filter((one) => one.plan === plan && one.seq < seq && (one.what === 'resuming' || one.what === 'recalling'))
        .reduce((last, one) => Math.max(last, one.seq), 0),
  };
}

/** Worlds of thousands are asked these for each of their calls. */
function once<T>(make: (plan: number) => T): (plan: number) => T {
  const made = new Map<number, T>();
  return (plan) => {
    if (!made.has(plan)) made.set(plan, make(plan));
    return made.get(plan) as T;
  };
}

/** As it is before something happens, or after all. */
export function planAt({ history }: View, plan: number, before = Number.POSITIVE_INFINITY): PlanOfHistory {
  const first = history.plans[plan] as PlanOfHistory;
  const edited = first.edits.findLast(({ seq }) => seq < before);
  return edited === undefined ? first : { ...first, rules: edited.rules, end: edited.end };
}

export function time(at: number): string {
  return new Date(at).toISOString();
}
