/** Where the numbers of a world are from, and the zones that stand in a column of its files. */
import type { Person, World } from './world.ts';

export interface PlaceOfNumbers {
  country: string;
  /** All but the last four digits. */
  prefix: string;
  /** Where some of its people live, whatever the program says. */
  homes?: readonly string[];
}

/** What the numbers of a place have in common; their zones are asked of `contacts check --zones`, beside the homes. */
export const PLACES: readonly PlaceOfNumbers[] = [
  { country: 'US', prefix: '+1212736' },
  { country: 'US', prefix: '+1415701' },
  { country: 'US', prefix: '+1602262' },
  { country: 'US', prefix: '+1808586' },
  { country: 'US', prefix: '+1907269' },
  { country: 'CA', prefix: '+1709729' },
  // Their clocks were changed in 2026, after the zone data of many a Node.js was made.
  { country: 'CA', prefix: '+1604736' },
  { country: 'CA', prefix: '+1403736' },
  { country: 'MA', prefix: '+21252234' },
  { country: 'GB', prefix: '+44207946' },
  { country: 'GB', prefix: '+44740012' },
  { country: 'DE', prefix: '+493090182' },
  { country: 'DE', prefix: '+491512345' },
  { country: 'ES', prefix: '+3492260' },
  { country: 'ES', prefix: '+3461234' },
  { country: 'FR', prefix: '+3314312' },
  { country: 'IN', prefix: '+91222266' },
  { country: 'IN', prefix: '+91982012' },
  { country: 'NP', prefix: '+977144' },
  { country: 'AU', prefix: '+6129374' },
  { country: 'AU', prefix: '+6188204' },
  { country: 'AU', prefix: '+6141234' },
  { country: 'NZ', prefix: '+649307' },
  { country: 'BR', prefix: '+55113113' },
  { country: 'BR', prefix: '+551198123' },
  { country: 'CL', prefix: '+5622670' },
  { country: 'CL', prefix: '+5698765', homes: ['America/Punta_Arenas', 'Pacific/Easter'] },
  { country: 'TR', prefix: '+90533861', homes: ['Asia/Famagusta'] },
  { country: 'RU', prefix: '+7495771' },
  { country: 'RU', prefix: '+7916771' },
  { country: 'JP', prefix: '+8133210' },
  { country: 'WS', prefix: '+685720' },
  { country: 'AS', prefix: '+1684633' },
  { country: 'KI', prefix: '+6867301' },
  { country: 'PF', prefix: '+6898745' },
  // Free of charge from anywhere: nobody can say where.
  { country: '', prefix: '+1800234' },
];

/** For the rows whose column names a zone: half hours, quarters, the date line, changes of clocks at midnight and by odd amounts. */
export const ODD_ZONES = [
  'America/New_York',
  'Europe/London',
  'Europe/Berlin',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Marquesas',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tehran',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'Australia/Lord_Howe',
  'Australia/Eucla',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Antarctica/Troll',
  'America/Nuuk',
  'America/Sao_Paulo',
  'Asia/Tokyo',
  'UTC',
] as const;

/** Those of them that are in a country whose days are skipped: looked up on a map. */
export const ODD_ZONES_OF: Record<string, readonly string[]> = {
  US: ['America/New_York'],
  DE: ['Europe/Berlin'],
  GB: ['Europe/London'],
  AU: ['Australia/Sydney', 'Australia/Lord_Howe', 'Australia/Eucla'],
  BR: ['America/Sao_Paulo'],
};

export interface ChangeOfClocks {
  /** Milliseconds since the epoch. */
  point: number;
  zone: (typeof ODD_ZONES)[number];
}

/** When clocks go forward or back, and where. */
export const CHANGES_OF_CLOCKS = (
  [
    ['2026-03-08T07:00:00Z', 'America/New_York'],
    ['2026-11-01T06:00:00Z', 'America/New_York'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin'],
    ['2026-10-25T01:00:00Z', 'Europe/London'],
    ['2026-04-04T15:00:00Z', 'Australia/Lord_Howe'],
    ['2026-10-03T16:00:00Z', 'Australia/Sydney'],
    ['2026-04-05T03:00:00Z', 'America/Santiago'],
    ['2026-04-23T22:00:00Z', 'Africa/Cairo'],
  ] as const
).map(([text, zone]): ChangeOfClocks => ({ point: Date.parse(text), zone }));

/** Instants around which worlds begin: clocks go forward or back somewhere, or a year ends. */
export const TURNING_POINTS = [
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-04-04T15:30:00Z',
  '2026-10-03T15:30:00Z',
  '2026-04-05T03:00:00Z',
  '2026-09-06T04:00:00Z',
  '2026-03-15T03:00:00Z',
  '2026-04-23T22:00:00Z',
  '2026-12-31T12:00:00Z',
  '2028-02-28T20:00:00Z',
].map((text) => Date.parse(text));

export function phoneOf({ place, digits }: Person): string {
  return `${placeOf(place).prefix}${String(digits).padStart(4, '0')}`;
}

export function placeOf(place: number): PlaceOfNumbers {
  return PLACES[place] as PlaceOfNumbers;
}

/** Everybody: those of the world and its crowd, who live where the others do. */
export function everybody({ people, crowd }: World): Person[] {
  const more = Array.from({ length: crowd }, (_none, at): Person => {
    const like = people[at % people.length] as Person;
    return { ...like, digits: (like.digits + 1 + Math.floor(at / people.length)) % 10_000 };
  });
  return [...people, ...more];
}
