/**
 * Numbers of a country's plan that are, or may be, used beyond it, where other clocks hold: of whatever kind, and beside the zones of
 * the country. The beginnings are those of libphonenumber's data of carriers and places, unless said.
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
  const found = BEYOND.find((one) => one.callingCode === callingCode && one.beginnings.test(nationalNumber));
  return found?.zones ?? NONE;
}

const NONE: readonly string[] = [];
