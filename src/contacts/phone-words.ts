/** What a column of phone numbers is called, in six languages: a word for a phone, and words that may stand around it. */

const PHONE = `
  phone telephone tel mobile cell cellphone mobilephone phonenumber msisdn e164
  telefono movil celular
  telefon telefonnummer telefonnr telnr mobil mobilnummer mobilnr mobiltelefon mobilfunk mobilfunknummer handy handynummer
  handynr rufnummer festnetz festnetznummer
  portable gsm
  telefone telemovel
  फोन मोबाइल टेलीफोन दूरभाष
`;

const AROUND = `
  number numbers no num nr n value the of to 1 2 3 4 5
  home work business office private personal main primary secondary alternate alternative alt other
  customer client contact patient called
  de del do da di numero nro principal casa trabajo oficina particular
  nummer privat geschaftlich dienstlich buro arbeit zuhause kunde kunden patienten
  bureau travail domicile pro perso fixe client
  trabalho residencial comercial fixo
  नंबर नम्बर नं संख्या संपर्क सम्पर्क
`;

/** Words that mean a phone only together: no column of phone numbers is called just "number". */
const TOGETHER = [
  'contact number',
  'contact no',
  'called to',
  'destination number',
  'number to call',
  'संपर्क नंबर',
  'सम्पर्क नंबर',
  'संपर्क नम्बर',
  'संपर्क संख्या',
];

const wordSet = (text: string) =>
  new Set(text.split(/\s+/).flatMap((word) => (word === '' ? [] : [plainHeader(word)])));
const phoneWords = wordSet(PHONE);
const wordsAround = wordSet(AROUND);
const together = new Set(TOGETHER.map(plainHeader));

/** Whether a column of that name could be the one of the phone numbers. */
export function couldBePhone(header: string): boolean {
  const plain = plainHeader(header);
  if (together.has(plain)) return true;
  const words = plain.split(' ');
  return (
    words.some((word) => phoneWords.has(word)) && words.every((word) => phoneWords.has(word) || wordsAround.has(word))
  );
}

/** Without capitals, accents, punctuation and what cannot be seen: `N° de Téléphone` is `n de telephone`. */
export function plainHeader(header: string): string {
  return header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u093c\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
