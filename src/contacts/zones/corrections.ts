/**
 * What Google's map and the numbering plans do not tell. Where the map is wrong or older than the clocks, a correction adds
 * zones to those that it has, so that nobody is called too early if the map was right after all.
 */

export interface Correction {
  /** Whole beginnings: a number that begins so is meant, and every longer prefix of the map too. */
  prefixes: readonly string[];
  /** Only where the map has this zone. */
  says?: string;
  adds: readonly string[];
}

export const CORRECTIONS: readonly Correction[] = [
  // Yukon left Pacific time in November 2020 for UTC-7 all year.
  { prefixes: ['1867'], says: 'America/Vancouver', adds: ['America/Whitehorse'] },
  // The Peace River, Fort Nelson (since 2015) and Creston keep UTC-7 all year; Alberta changes its clocks.
  { prefixes: ['1250'], says: 'America/Edmonton', adds: ['America/Dawson_Creek'] },
  // Overlays of all British Columbia, its north-east and its mountains included.
  { prefixes: ['1236', '1257', '1672', '1778'], adds: ['America/Dawson_Creek', 'America/Edmonton'] },
  // Overlays of areas with two clocks, of which the map has one: 850 in Florida, 270 in Kentucky, 812 in Indiana, 541 in Oregon,
  // 208 in Idaho, 418 in Quebec with the Magdalen Islands.
  { prefixes: ['1448', '1364', '1930'], adds: ['America/Chicago'] },
  { prefixes: ['1458', '1986'], adds: ['America/Denver'] },
  { prefixes: ['1367', '1581'], adds: ['America/Halifax'] },
  // Chihuahua left the time of Mazatlan in October 2022 for UTC-6; its northernmost towns, since November 2022, go with Texas.
  {
    prefixes: '52614 52621 52625 52626 52627 52628 52629 52635 52639 52648 52649 52652 52659'.split(' '),
    adds: ['America/Chihuahua'],
  },
  { prefixes: ['52636'], adds: ['America/Chihuahua', 'America/Ciudad_Juarez'] },
  // Since 2010 towns near Texas change their clocks with it: Allende and Nava, Matamoros, Anáhuac, Camargo, Miguel Alemán.
  { prefixes: ['52862', '52868', '52873', '52891', '52897'], adds: ['America/Matamoros'] },
  // Recife; only the islands far before it are an hour ahead.
  { prefixes: ['5581'], adds: ['America/Recife'] },
  // The south-west of Amazonas went back to UTC-5 in 2013.
  { prefixes: ['5597'], adds: ['America/Eirunepe'] },
  // Only 305 is on the Chatham Islands.
  { prefixes: ['64330'], adds: ['Pacific/Auckland'] },
  // The Marquesas and Gambier Islands are half an hour and an hour ahead of Tahiti.
  { prefixes: ['6894091', '6894092'], adds: ['Pacific/Marquesas'] },
  { prefixes: ['6894097'], adds: ['Pacific/Gambier'] },
  // The east of Yakutia is one and two hours ahead of its capital.
  { prefixes: ['7411'], adds: ['Asia/Srednekolymsk', 'Asia/Vladivostok'] },
  // Saratov left Moscow's time in December 2016.
  { prefixes: ['7845'], adds: ['Europe/Saratov'] },
  // Xinjiang lives by UTC+6 beside the official time.
  { prefixes: ['8690', '8699'], adds: ['Asia/Urumqi'] },
];

/** The zones that the map has for a prefix, with those that the corrections add. */
export function corrected(prefix: string, zones: readonly string[]): readonly string[] {
  const added = CORRECTIONS.filter(
    ({ prefixes, says }) =>
      (says === undefined || zones.includes(says)) && prefixes.some((beginning) => prefix.startsWith(beginning)),
  ).flatMap(({ adds }) => adds);
  return added.length === 0 ? zones : [...new Set([...zones, ...added])];
}

/**
 * How many digits of a number are its area code, the calling code included: a number is not in an area with another code, however
 * much both begin alike. Only where it tells more than the map's own prefixes; of Australia and New Zealand only some areas, since
 * the map mixes up others.
 */
const AREA_CODES: readonly (readonly [beginning: string, digits: number])[] = [
  ['1', 4],
  ['299', 5],
  ['34', 5],
  ['351', 6],
  ['52', 5],
  ['55', 4],
  ['612', 5],
  ['618', 5],
  ['643', 5],
  ['7', 4],
];

/** 0 if it is not known. `prefix` has no plus sign. */
export function areaCodeDigits(prefix: string): number {
  return AREA_CODES.find(([beginning]) => prefix.startsWith(beginning))?.[1] ?? 0;
}

/**
 * Numbers of a country's plan that are, or may be, used beyond it, where other clocks hold: of whatever kind, and beside the
 * zones of the country. The beginnings are those of libphonenumber's data of carriers and places, unless said.
 */
const BEYOND: readonly { callingCode: string; beginnings: RegExp; zones: readonly string[] }[] = [
  // Northern Cyprus keeps the time of the island: fixed lines, Kuzey Kıbrıs Turkcell, and, by lists of its operators, KKTC Telsim.
  { callingCode: '90', beginnings: /^(?:39|5338|5428|5488)/, zones: ['Asia/Famagusta'] },
  // Palestine changes its clocks on other days than Israel: Jawwal, Ooredoo, and the fixed lines that both calling codes have.
  {
    callingCode: '972',
    beginnings: /^(?:5[69]|22[2379]|424|82[014568]|92[3569])/,
    zones: ['Asia/Gaza', 'Asia/Hebron'],
  },
];

/** The further zones of a national number; mostly none. */
export function zonesBeyond(callingCode: string, nationalNumber: string): readonly string[] {
  return BEYOND.find((one) => one.callingCode === callingCode && one.beginnings.test(nationalNumber))?.zones ?? [];
}
