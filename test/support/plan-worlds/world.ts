/** A random world in which plans are run, as data: who is to be called, by which rules, and what happens meanwhile. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Somebody with a telephone. */
export interface Person {
  /** Index into `PLACES`: where the number is from. */
  place: number;
  /** The last four digits of the number. */
  digits: number;
  /** Index into `ODD_ZONES`: what stands in the column of the file; null for an empty cell. */
  zone: number | null;
}

/** Minutes of the local day, on some days of the week. */
export interface Opening {
  /** 0 is Monday. From the first to the last, both included; never over the end of the week. */
  days: [first: number, last: number];
  opens: number;
  /** Up to 1440, which is the end of the day. */
  closes: number;
}

export const RESULTS = ['busy', 'no_answer', 'failed', 'voicemail'] as const;
export type Result = (typeof RESULTS)[number];

export interface Share {
  count: number;
  /** Minutes. */
  within: number;
}

export interface Rules {
  /** No two of them share a day. */
  openings: Opening[];
  /** Whose hours: undefined for those of each contact. */
  zone: string | undefined;
  /** Days from that of the start of the world, by UTC; with a country only for people who may be there. */
  skip: { day: number; country?: string }[];
  /** Minutes from the creation. */
  startsIn: number | undefined;
  endsIn: number | undefined;
  callsPerHour: number;
  /** Minutes. */
  wave: number;
  maxAttempts: number;
  /** Minutes until the next attempt; null for never. */
  retry: Record<Result, number | null>;
  perNumber: Share | undefined;
  /** Minutes. */
  minGap: number;
  /** Money in cents; `longest` in minutes. */
  budget: { cents: number; centsPerMinute: number; longest: number } | undefined;
  stopOn: { percent: number; over: number } | undefined;
  canary: number | undefined;
  fromNumbers: 1 | 2;
  fromCap: Share | undefined;
  optOut: string[];
}

export interface PlanOfWorld {
  rules: Rules;
  /** Its contacts are the people whose index leaves this rest. */
  every: number;
  rest: number;
  /** So many of its first contacts stand twice in the file. */
  doubles: number;
}

/** What goes wrong while a command runs. */
export type Fault =
  /** Before or after it was carried out; `dies` is the sender. */
  | { on: 'post'; kind: 402 | 429 | `${'500' | 'cut' | 'hangs' | 'dies'} ${'before' | 'after'}` }
  | { on: 'get'; kind: 429 | 500 | 'cut' }
  /** The process dies at its n-th call of the file system or step of a request; half of a write may be there. */
  | { on: 'life'; at: number }
  /** One call of the file system fails, and the process goes on. */
  | { on: 'disk'; at: number; kind: 'EIO' | 'ENOSPC' }
  /** The machine sleeps for some minutes at its n-th call of the file system; its clock goes on. */
  | { on: 'sleep'; at: number; minutes: number }
  /** It is suspended when it has read the log, and its clock stands still until the command ends. */
  | { on: 'suspension'; minutes: number };

/** Where the clock goes after a step: to the time that the plans wait for, or by some minutes. */
export type Pause = 'next' | number;

export type Step =
  | { do: 'run'; plan: number; fault: Fault | undefined; pause: Pause }
  /** On the local engine it moves the time itself. */
  | { do: 'run on'; plan: number; fault: Fault | undefined; pause: Pause }
  | { do: 'two runs' | 'stop while it runs'; plan: number; pause: Pause }
  | { do: 'stop' | 'resume' | 'recall' | 'cancel'; plan: number; pause: Pause }
  /** These rules become others; `endsIn` counts from then on. */
  | { do: 'edit'; plan: number; rules: Partial<Rules>; pause: Pause }
  /** A single call or a campaign of the same register. `isForced`: whatever its guards say. */
  | { do: 'call'; person: number; isForced: boolean; pause: Pause }
  | { do: 'campaign'; every: number; startsIn: number; retries: number; retryDelay: number; pause: Pause }
  /** A call that others place at the service; nothing but the log knows of it. */
  | { do: 'foreign call'; person: number; pause: Pause }
  | { do: 'exclude'; person: number; pause: Pause };

export interface World {
  /** Whether the commands play it on their own local engine, or meet a service. */
  isLocal: boolean;
  /** Of the engine's chance. */
  seed: number;
  /** Milliseconds since the epoch. */
  start: number;
  people: Person[];
  /** So many people more, drawn from the first ones. */
  crowd: number;
  /** What was sent before the plans are made, at which `start` is; none on the local engine. */
  before: (Step & { do: 'call' | 'campaign'; pause: number })[];
  plans: PlanOfWorld[];
  steps: Step[];
  /** Shares of calls that end so; the rest are answered. */
  ends: { busy: number; no_answer: number; failed: number };
  /** Seconds of the longest conversation. */
  longest: number;
  /** Minutes after the call in which its entry may come into the log, and the share of entries that do not come at once. */
  late: { most: number; share: number };
  /** The share of the pace asked for that the service keeps. */
  pace: number;
  /** Seconds by which this machine's clock is ahead of the service's. */
  ahead: number;
}

export function membersOf({ people }: Pick<World, 'people'>, { every, rest }: PlanOfWorld): number[] {
  return people.map((_person, at) => at).filter((at) => at % every === rest % every);
}
