/** What a column of phone numbers is called, in six languages: as `plainHeader` leaves a header. */

const WORDS = `
  phone number, phone, phone no, phone num, phonenumber, telephone, telephone number, telephone no, tel, tel no, tel number,
  mobile, mobile number, mobile no, mobile phone, mobile phone number, mobilephone, cell, cell number, cell no, cell phone,
  cell phone number, cellphone, contact number, contact no, contact phone, contact phone number, primary phone,
  phone 1 value, home phone, work phone, business phone, customer phone, msisdn, e164, e 164, called to, destination number

  telefono, numero de telefono, n de telefono, no de telefono, num telefono, numero telefono, movil, telefono movil,
  numero de movil, numero movil, celular, telefono celular, numero de celular, numero celular

  telefon, telefonnummer, telefon nr, telefonnr, tel nr, telnr, mobil, mobilnummer, mobil nr, mobiltelefon, mobilfunk,
  mobilfunknummer, handy, handynummer, handy nr, rufnummer, festnetz, festnetznummer

  numero de telephone, n de telephone, no de telephone, n telephone, no telephone, numero telephone, num tel, numero de tel,
  n tel, portable, telephone portable, tel portable, numero de portable, numero portable, telephone mobile, gsm

  telefone, numero de telefone, n de telefone, no de telefone, numero do telefone, telemovel, numero de telemovel,
  numero do celular, telefone celular, telefone movel

  फोन, फोन नंबर, फोन नम्बर, फोन संख्या, मोबाइल, मोबाइल नंबर, मोबाइल नम्बर, मोबाइल संख्या, मोबाइल फोन, टेलीफोन, टेलीफोन नंबर,
  दूरभाष, दूरभाष संख्या, संपर्क नंबर, सम्पर्क नंबर, संपर्क नम्बर, संपर्क संख्या
`;

export const PHONE_WORDS: ReadonlySet<string> = new Set(
  WORDS.split(/[,\n]/).flatMap((word) => (word.trim() === '' ? [] : [plainHeader(word)])),
);

/** Without capitals, accents, punctuation and what cannot be seen: `N° de Téléphone` is `n de telephone`. */
export function plainHeader(header: string): string {
  return header
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u093c\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
