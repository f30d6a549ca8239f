/** A planner that knows no rules: it dials whom and when it likes, and counts as it likes. The oracle must see all of it. */
import { Chance } from '../worlds/chance.ts';
import { preparePlan } from './command-line.ts';
import type { Dial, History, Look, Post, Told } from './history.ts';
import { ODD_ZONES } from './people.ts';
import { NUMBERS } from './service.ts';
import { DAY, HOUR, MINUTE, type World } from './world.ts';

export function playCarelessly(world: World, folder: string): History {
  const chance = new Chance(world.seed);
  const zonesOf = (place: number) => [ODD_ZONES[place % ODD_ZONES.length] as string];
  const plans = world.plans.map((_plan, at) => {
    const { args: _args, rejects: _rejects, ...plan } = preparePlan(world, at, folder, world.start, zonesOf);
    return { ...plan, createdAt: world.start, contacts: plan.rows.length };
  });
  const history: History = {
    isLocal: false,
    ahead: 0,
    pace: 1,
    plans,
    posts: [],
    dials: [],
    told: [],
    excluded: [],
    looks: [],
    misbehaved: [],
  };
  let [seq, now] = [0, world.start];
  for (let turn = 0; turn < 25; turn++) {
    const plan = chance.integer(0, plans.length - 1);
    const { rows, rules } = plans[plan] as (typeof plans)[number];
    now += chance.integer(0, 300) * MINUTE;
    const what = chance.pick<Told['what']>(['ran', 'ran', 'stopped', 'resuming', 'recalling', 'cancelled']);
    if (chance.happens(0.3)) history.told.push({ seq: ++seq, at: now, plan, what });
    if (rows.length === 0) continue;
    if (chance.happens(0.1)) history.excluded.push({ seq: ++seq, phone: chance.pick(rows).phone });
    const contacts = Array.from({ length: chance.integer(1, 6) }, () => chance.pick(rows));
    const post: Post = {
      ...{ seq: ++seq, at: now, kind: 'campaign', isForeign: false, contacts },
      wave: { plan, number: chance.integer(1, 12) },
      from: chance.pick(NUMBERS),
      startTime: chance.happens(0.1) ? '2026-06-01T10:00:00' : new Date(now).toISOString(),
      callsPerHour: chance.happens(0.9) ? rules.callsPerHour : 7,
      retries: chance.happens(0.9) ? 0 : 2,
      answer: chance.pick(['accepted', 'accepted', 'unknown', 'refused']),
    };
    history.posts.push(post);
    if (post.answer !== 'refused') history.dials.push(...contacts.map((_row, row) => dialOf(post, row, world, chance)));
    history.looks.push(lookAt(plan, ++seq, now, chance));
  }
  history.dials.sort((left, right) => left.at - right.at);
  return history;
}

function dialOf(post: Post, row: number, { late, longest }: World, chance: Chance): Dial {
  const at = post.at + chance.integer(0, 2 * HOUR);
  const status = chance.pick(['completed', 'busy', 'no_answer', 'failed']);
  const labels = ['not_interested', 'callback_requested', 'voicemail_left', 'goal_achieved'];
  return {
    ...{ at, phone: (post.contacts[row] as Post['contacts'][number]).phone, from: post.from, status },
    outcome: status === 'completed' ? chance.pick(labels) : 'not_connected',
    seconds: status === 'completed' ? chance.integer(1, longest) : 0,
    ...{ post: post.seq, row, shownAt: at + (chance.happens(late.share) ? DAY : 0) },
  };
}

function lookAt(plan: number, seq: number, at: number, chance: Chance): Look {
  const states = ['new', 'handed', 'again', 'reached', 'exhausted', 'unseen', 'excluded', 'left'];
  const contacts = Object.fromEntries(states.map((state) => [state, chance.integer(0, 1)]));
  const [attempts, spent] = [chance.integer(0, 9), chance.integer(0, 900) / 100];
  const next = chance.pick([undefined, at + DAY]);
  const said = { state: chance.pick(['open', 'done']), reason: null, contacts, attempts, spent };
  return { seq, at, plan, ...said, next, isAfterRun: true };
}
