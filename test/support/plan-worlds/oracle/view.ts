/** The history in the order in which the rules ask for it. */
import type { Dial, History, PlanOfHistory, Post, Row } from '../history.ts';

export const RULES = [
  ...['window', 'skipped date', 'before the start', 'after the end'],
  ...['attempts', 'retry', 'gap', 'cap of a number', 'pace'],
  ...[
    'stop',
    'cancel',
    'canary',
    'cap of a caller',
    'wave twice',
    'shape of a wave',
    'excluded',
    'opted out',
    'unknown',
    'breaker',
  ],
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
  /** The `seq` at which a plan was last asked to go on before a request; 0 if it never was. */
  resumedBefore: (plan: number, seq: number) => number;
}

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
  return {
    history,
    postOf: (dial) => bySeq.get(dial.post) as Post,
    dialsOf: (plan) => ofPlan[plan] ?? [],
    wavesOf: (plan) => posts.filter(({ wave, answer }) => wave?.plan === plan && answer !== 'refused'),
    dialsTo: (phone) => toPhone.get(phone) ?? [],
    dialOf: (post, key) => ofPost.get(`${post.seq} ${key}`),
    resumedBefore: (plan, seq) =>
      told
        .filter((one) => one.plan === plan && one.seq < seq && (one.what === 'resuming' || one.what === 'recalling'))
        .reduce((last, one) => Math.max(last, one.seq), 0),
  };
}

export function planAt({ history }: View, plan: number): PlanOfHistory {
  return history.plans[plan] as PlanOfHistory;
}

export function time(at: number): string {
  return new Date(at).toISOString();
}
