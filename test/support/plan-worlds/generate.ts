/** Arbitrary worlds. What is rare in life is frequent here, and each part shrinks by itself. */
import fc from '../properties.ts';
import { CHANGES_OF_CLOCKS, ODD_ZONES, PLACES, TURNING_POINTS } from './people.ts';
import { type Fault, HOUR, MINUTE, type Opening, type Pause, type Rules, type Step, type World } from './world.ts';

/** One of them, by their weights. */
const weighed = <T>(...all: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** In one of so many. */
const onceIn = <T>(often: number, arbitrary: fc.Arbitrary<T>) =>
  weighed<T | undefined>([often - 1, fc.constant(undefined)], [1, arbitrary]);

const start = fc
  .tuple(
    fc.constantFrom(...TURNING_POINTS, Date.parse('2026-06-15T00:00:00Z')),
    fc.integer({ min: -2 * 24 * 60, max: 24 * 60 }),
  )
  .map(([point, minutes]) => point + minutes * MINUTE);

const person = fc.record({
  place: fc.nat({ max: PLACES.length - 1 }),
  digits: fc.nat({ max: 9999 }).filter((digits) => digits < 190 || digits > 199),
  zone: fc.oneof(fc.constant(null), fc.nat({ max: ODD_ZONES.length - 1 })),
});

/** Whole quarters of an hour, with some minutes beside them. */
const opening = fc
  .record({
    opens: fc.integer({ min: 0, max: 80 }),
    length: fc.integer({ min: 3, max: 60 }),
    odd: fc.constantFrom(0, 0, 7),
  })
  .map(({ opens, length, odd }) => ({ opens: opens * 15 + odd, closes: Math.min(1440, (opens + length) * 15 + odd) }));

const openings = weighed<Opening[]>(
  [3, opening.map((hours) => [{ days: [0, 6], ...hours }])],
  [
    2,
    fc.tuple(opening, opening, fc.integer({ min: 1, max: 6 })).map(([first, second, split]) => [
      { days: [0, split - 1], ...first },
      { days: [split, 6], ...second },
    ]),
  ],
  [1, opening.map((hours) => [{ days: [0, 4], ...hours }])],
  [1, fc.constant([{ days: [0, 6], opens: 0, closes: 1440 }])],
);

/** Half of them are soon used up by the few contacts of most worlds. */
const cents = fc.oneof(fc.integer({ min: 10, max: 100 }), fc.integer({ min: 50, max: 3000 }));

const retryAfter = fc.constantFrom(null, 5, 30, 60, 240, 720, 1440);

const rules: fc.Arbitrary<Rules> = fc.record({
  openings,
  zone: onceIn(8, fc.constantFrom(...ODD_ZONES)),
  skip: fc.array(
    fc.record(
      { day: fc.integer({ min: 0, max: 4 }), country: fc.constantFrom('US', 'DE', 'GB', 'AU', 'BR') },
      { requiredKeys: ['day'] },
    ),
    { maxLength: 2 },
  ),
  startsIn: onceIn(5, fc.integer({ min: 30, max: 2000 })),
  endsIn: onceIn(5, fc.integer({ min: 2100, max: 8000 })),
  callsPerHour: fc.constantFrom(6, 20, 60, 61, 120, 700),
  wave: fc.constantFrom(5, 10, 30, 60, 120),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  retry: fc.record({ busy: retryAfter, no_answer: retryAfter, failed: retryAfter, voicemail: retryAfter }),
  perNumber: onceIn(
    4,
    fc.record({ count: fc.integer({ min: 1, max: 3 }), within: fc.constantFrom(60, 720, 1440, 2880) }),
  ),
  minGap: fc.constantFrom(1, 15, 60, 300),
  budget: onceIn(
    3,
    fc
      .record({
        cents,
        centsPerMinute: fc.constantFrom(5, 10, 33),
        longest: fc.constantFrom(2, 5),
      })
      // One that allows no call is refused.
      .map((budget) => ({ ...budget, cents: Math.max(budget.cents, budget.centsPerMinute * budget.longest) })),
  ),
  stopOn: onceIn(2, fc.record({ percent: fc.constantFrom(7, 20, 50, 90), over: fc.integer({ min: 1, max: 5 }) })),
  canary: onceIn(4, fc.integer({ min: 1, max: 3 })),
  fromNumbers: fc.constantFrom(1 as const, 2 as const),
  fromCap: onceIn(4, fc.record({ count: fc.integer({ min: 1, max: 12 }), within: fc.constantFrom(60, 1440) })),
  optOut: fc.subarray(['not_interested', 'callback_requested'], { minLength: 0 }),
});

/** What follows for those who were called before is changed most often. */
const OFTEN = ['retry', 'minGap', 'perNumber', 'openings'] as const;
const EDITED = ['endsIn', 'callsPerHour', 'wave', 'maxAttempts', 'budget', 'fromCap', 'optOut', ...OFTEN] as const;
const edited = fc
  .tuple(rules, fc.array(fc.constantFrom(...EDITED, ...OFTEN), { minLength: 1, maxLength: 2 }))
  .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name]])) as Partial<Rules>);

const pause = weighed<Pause>(
  [4, fc.constant('next')],
  [3, fc.integer({ min: 1, max: 12 }).map((tens) => tens * 10)],
  [1, fc.integer({ min: 13, max: 300 }).map((tens) => tens * 10)],
);

/** Small numbers are as frequent as large ones. */
const step = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.nat({ max: 1000 })).map(([power, part]) => {
  return Math.floor(2 ** power * (1 + part / 1001));
});

const failedPost = (...kinds: Extract<Fault, { on: 'post' }>['kind'][]) =>
  fc.constantFrom(...kinds).map((kind): Fault => ({ on: 'post', kind }));

/** Minutes: less than what a wave may wait, less than any margin, and hours. */
const asleep = fc.constantFrom(1, 6, 40, 300);

const fault = weighed<Fault>(
  [
    200,
    weighed(
      [3, failedPost(402, 429)],
      [2, failedPost('500 before', '500 after', 'cut before', 'cut after')],
      [2, failedPost('dies before', 'dies after', 'dies after')],
    ),
  ],
  // Each takes a second of real time.
  [1, failedPost('hangs before', 'hangs after')],
  [20, fc.constantFrom(429, 500, 'cut').map((kind) => ({ on: 'get', kind }) as Fault)],
  [120, step.map((at) => ({ on: 'life', at }))],
  [20, fc.tuple(step, fc.constantFrom('EIO', 'ENOSPC')).map(([at, kind]) => ({ on: 'disk', at, kind }))],
  [30, fc.tuple(step, asleep).map(([at, minutes]) => ({ on: 'sleep', at, minutes }))],
  [120, asleep.map((minutes) => ({ on: 'suspension', minutes }))],
);

const plan = fc.nat({ max: 2 });
const someone = fc.nat({ max: 40 });

const call = fc.record({ do: fc.constant('call' as const), person: someone, isForced: fc.boolean() });
const campaign = fc.record({
  do: fc.constant('campaign' as const),
  every: fc.integer({ min: 1, max: 3 }),
  startsIn: fc.constantFrom(0, 0, 20, 600),
  retries: fc.nat({ max: 2 }),
  retryDelay: fc.constantFrom(60, 900, 3600),
});
const withPause = <S, P>(arbitrary: fc.Arbitrary<S>, after: fc.Arbitrary<P>) =>
  fc.tuple(arbitrary, after).map(([one, pause]) => ({ ...one, pause }));

/** Minutes, from some hours to some days. */
const longPause = fc.integer({ min: 2, max: 120 }).map((hours) => hours * 60);
const before = fc.array(withPause(fc.oneof(call, campaign, campaign), longPause), { minLength: 1, maxLength: 3 });

const withPlan = <What extends Step['do']>(...does: What[]) => fc.record({ do: fc.constantFrom(...does), plan, pause });

const steps = weighed<Step>(
  [
    20,
    fc.record({
      ...{ do: fc.constantFrom('run' as const, 'run' as const, 'run on' as const), plan, pause },
      fault: fc.oneof(fc.constant(undefined), { weight: 2, arbitrary: fault }),
    }),
  ],
  [2, withPlan('two runs', 'stop while it runs')],
  [4, withPlan('stop', 'resume', 'resume', 'recall')],
  [5, fc.record({ do: fc.constant('edit'), plan, rules: edited, pause })],
  [2, withPause(call, pause)],
  [2, withPause(campaign, pause)],
  [1, fc.record({ do: fc.constant('foreign call'), person: someone, pause })],
  [1, fc.record({ do: fc.constant('exclude'), person: someone, pause })],
);

const planOfWorld = fc.record({
  rules,
  every: fc.constantFrom(1, 1, 2, 3),
  rest: fc.nat({ max: 2 }),
  doubles: fc.constantFrom(0, 0, 0, 1, 2),
});

const plansOf = (count: number) => fc.array(planOfWorld, { minLength: count, maxLength: count });

export interface Sizes {
  /** Share of the worlds with thousands of contacts: one in so many. */
  crowdIn: number;
}

export function worlds(sizes: Sizes): fc.Arbitrary<World> {
  const turned = fc
    .tuple(anyWorlds(sizes), onceIn(4, turn))
    .map(([world, at]) => (at === undefined ? world : withTurn(world, at)));
  return turned.map((world) => (world.crowd === 0 ? world : withRoom(world)));
}

/** A change of clocks, and how many hours before it a world begins. */
const turn = fc.record({ at: fc.constantFrom(...CHANGES_OF_CLOCKS), hours: fc.integer({ min: 4, max: 24 }) });

/** Who is called before the change and does not answer is called again after it. By chance alone that is one world in fifty. */
function withTurn(
  world: World,
  { at: { point, zone }, hours }: { at: (typeof CHANGES_OF_CLOCKS)[number]; hours: number },
): World {
  const people = world.people.map((person) => ({ ...person, zone: ODD_ZONES.indexOf(zone) }));
  const plans = world.plans.map((plan) => {
    const { maxAttempts, retry } = plan.rules;
    const again = { maxAttempts: Math.max(2, maxAttempts), retry: { ...retry, busy: 1440, no_answer: 1440 } };
    return { ...plan, rules: { ...plan.rules, ...again } };
  });
  return { ...world, people, plans, start: point - hours * HOUR };
}

/** Waves of a few contacts would have to be thousands for a crowd: minutes, and nothing that is new. */
function withRoom(world: World): World {
  const plans = world.plans.map((plan) => {
    const { fromCap, budget, callsPerHour } = plan.rules;
    const room = {
      fromCap: fromCap && { ...fromCap, count: fromCap.count * 100 },
      budget: budget && { ...budget, cents: budget.cents * 100 },
      callsPerHour: Math.max(callsPerHour, 600),
    };
    return { ...plan, rules: { ...plan.rules, ...room } };
  });
  return { ...world, plans };
}

function anyWorlds({ crowdIn }: Sizes): fc.Arbitrary<World> {
  return fc.record({
    isLocal: weighed([5, fc.constant(false)], [1, fc.constant(true)]),
    seed: fc.nat({ max: 1_000_000 }),
    start,
    people: weighed(
      [3, fc.array(person, { minLength: 1, maxLength: 6 })],
      [2, fc.array(person, { minLength: 5, maxLength: 40 })],
    ),
    crowd: weighed([crowdIn - 1, fc.constant(0)], [1, fc.integer({ min: 50, max: 4900 })]),
    before: onceIn(2, before).map((steps): World['before'] => steps ?? []),
    plans: weighed([4, plansOf(1)], [2, plansOf(2)], [1, plansOf(3)]),
    steps: fc.array(steps, { minLength: 2, maxLength: 14 }),
    ends: fc.constantFrom(
      { busy: 0.12, no_answer: 0.2, failed: 0.06 },
      { busy: 0.4, no_answer: 0.4, failed: 0.1 },
      { busy: 0.1, no_answer: 0.1, failed: 0.7 },
      { busy: 0, no_answer: 1, failed: 0 },
      { busy: 0, no_answer: 0, failed: 0 },
    ),
    longest: fc.constantFrom(100, 240, 900),
    late: fc.constantFrom(
      { most: 0, share: 0 },
      { most: 0, share: 0 },
      { most: 5, share: 0.5 },
      { most: 120, share: 0.3 },
      { most: 30 * 60, share: 0.2 },
      { most: 3 * 24 * 60, share: 0.3 },
    ),
    pace: fc.constantFrom(1, 1, 1, 2 / 3, 0.5),
    ahead: fc.constantFrom(0, 0, 0, 90, -90, 200, 595, -595),
  });
}
