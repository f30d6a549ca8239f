/** Arbitrary worlds. What is rare in life is frequent here, and each part shrinks by itself. */
import fc from '../properties.ts';
import { CHANGES_OF_CLOCKS, type ChangeOfClocks, ODD_ZONES, PLACES, TURNING_POINTS } from './people.ts';
import { type Fault, HOUR, MINUTE, type Opening, type Pause, type Rules, type Step, type World } from './world.ts';

/** In one of so many. */
const onceIn = <T>(often: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: often - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

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

const openings: fc.Arbitrary<Opening[]> = fc.oneof(
  { weight: 3, arbitrary: opening.map((hours): Opening[] => [{ days: [0, 6], ...hours }]) },
  {
    weight: 2,
    arbitrary: fc.tuple(opening, opening, fc.integer({ min: 1, max: 6 })).map(([first, second, split]): Opening[] => [
      { days: [0, split - 1], ...first },
      { days: [split, 6], ...second },
    ]),
  },
  { weight: 1, arbitrary: opening.map((hours): Opening[] => [{ days: [0, 4], ...hours }]) },
  { weight: 1, arbitrary: fc.constant<Opening[]>([{ days: [0, 6], opens: 0, closes: 1440 }]) },
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
  stopOn: onceIn(2, fc.record({ percent: fc.constantFrom(20, 50, 90), over: fc.integer({ min: 1, max: 5 }) })),
  canary: onceIn(4, fc.integer({ min: 1, max: 3 })),
  fromNumbers: fc.constantFrom(1 as const, 2 as const),
  fromCap: onceIn(4, fc.record({ count: fc.integer({ min: 1, max: 12 }), within: fc.constantFrom(60, 1440) })),
  optOut: fc.subarray(['not_interested', 'callback_requested'], { minLength: 0 }),
});

const pause: fc.Arbitrary<Pause> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('next' as const) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }).map((tens) => tens * 10) },
  { weight: 1, arbitrary: fc.integer({ min: 13, max: 300 }).map((tens) => tens * 10) },
);

/** Small numbers are as frequent as large ones. */
const step = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.nat({ max: 1000 })).map(([power, part]) => {
  return Math.floor(2 ** power * (1 + part / 1001));
});

const failedPost = (...kinds: Extract<Fault, { on: 'post' }>['kind'][]) =>
  fc.constantFrom(...kinds).map((kind): Fault => ({ on: 'post', kind }));

/** Minutes: less than what a wave may wait, less than any margin, and hours. */
const asleep = fc.constantFrom(1, 6, 40, 300);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  {
    weight: 200,
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: failedPost(402, 429) },
      { weight: 2, arbitrary: failedPost('500 before', '500 after', 'cut before', 'cut after') },
      { weight: 2, arbitrary: failedPost('dies before', 'dies after', 'dies after') },
    ),
  },
  // Each takes a second of real time.
  { weight: 1, arbitrary: failedPost('hangs before', 'hangs after') },
  { weight: 20, arbitrary: fc.constantFrom(429, 500, 'cut').map((kind) => ({ on: 'get', kind }) as Fault) },
  { weight: 120, arbitrary: step.map((at): Fault => ({ on: 'life', at })) },
  {
    weight: 20,
    arbitrary: fc
      .tuple(step, fc.constantFrom('EIO' as const, 'ENOSPC' as const))
      .map(([at, kind]): Fault => ({ on: 'disk', at, kind })),
  },
  {
    weight: 30,
    arbitrary: fc.tuple(step, asleep).map(([at, minutes]): Fault => ({ on: 'sleep', at, minutes })),
  },
  { weight: 120, arbitrary: asleep.map((minutes): Fault => ({ on: 'suspension', minutes })) },
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

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      ...{ do: fc.constantFrom('run' as const, 'run' as const, 'run on' as const), plan, pause },
      fault: fc.oneof(fc.constant(undefined), { weight: 2, arbitrary: fault }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('two runs' as const, 'stop while it runs' as const), plan, pause }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('stop' as const, 'resume' as const, 'resume' as const, 'recall' as const),
      ...{ plan, pause },
    }),
  },
  {
    weight: 2,
    arbitrary: withPause(call, pause),
  },
  {
    weight: 2,
    arbitrary: withPause(campaign, pause),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('foreign call' as const), person: someone, pause }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('exclude' as const), person: someone, pause }) },
);

const planOfWorld = fc.record({
  rules,
  every: fc.constantFrom(1, 1, 2, 3),
  rest: fc.nat({ max: 2 }),
  doubles: fc.constantFrom(0, 0, 0, 1, 2),
});

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
function withTurn(world: World, { at: { point, zone }, hours }: { at: ChangeOfClocks; hours: number }): World {
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
    isLocal: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    seed: fc.nat({ max: 1_000_000 }),
    start,
    people: fc.oneof(
      { weight: 3, arbitrary: fc.array(person, { minLength: 1, maxLength: 6 }) },
      { weight: 2, arbitrary: fc.array(person, { minLength: 5, maxLength: 40 }) },
    ),
    crowd: fc.oneof(
      { weight: crowdIn - 1, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 50, max: 4900 }) },
    ),
    before: onceIn(2, before).map((steps): World['before'] => steps ?? []),
    plans: fc.oneof(
      { weight: 4, arbitrary: fc.array(planOfWorld, { minLength: 1, maxLength: 1 }) },
      { weight: 2, arbitrary: fc.array(planOfWorld, { minLength: 2, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.array(planOfWorld, { minLength: 3, maxLength: 3 }) },
    ),
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
