/** The names of phone columns, language by language, and what is named alike and holds something else. */
import { describe, expect, test } from 'vitest';
import { couldBePhone } from '../../../src/contacts/header/phone-words.ts';
import { Operator } from '../../support/program.ts';

const PHONES: Record<string, string[]> = {
  English: [
    'Phone',
    'phone_number',
    'Mobile Phone',
    'Tel.',
    'Cell #',
    'Primary phone 1',
    'contact no.',
    'called_to',
    'PhoneNumber',
    'Tel. No.',
  ],
  Spanish: [
    'Teléfono',
    'Número de teléfono',
    'Móvil',
    'Celular',
    'Teléfono de contacto',
    'Número telefónico',
    'Tel. casa',
    'TELÉFONO',
  ],
  German: ['Telefonnummer', 'Handy', 'Mobilnr.', 'Rufnummer', 'Telefon privat', 'Tel. geschäftlich', 'Handy-Nr.'],
  French: ['Téléphone', 'N° de téléphone', 'Portable', 'Tél. domicile', 'Tél. portable'],
  Portuguese: ['Telefone', 'Telemóvel', 'Nº de telemóvel', 'Celular', 'Telefone residencial', 'Número do celular'],
  Hindi: ['फ़ोन', 'मोबाइल नंबर', 'संपर्क नंबर'],
  Italian: [
    'Telefono',
    'Numero di telefono',
    'Cellulare',
    'N. cellulare',
    'Recapito telefonico',
    'Telefono fisso',
    'Tel. ufficio',
  ],
  Turkish: ['Telefon', 'Telefon Numarası', 'Cep Telefonu', 'Cep Numarası', 'GSM No', 'İrtibat Telefonu', 'İş telefonu'],
  Russian: ['Телефон', 'Номер телефона', 'Мобильный телефон', 'Моб. тел.', 'Сотовый', 'Контактный номер', 'Телефон №'],
  Japanese: [
    '電話番号',
    '携帯電話',
    '携帯番号',
    'ご連絡先電話番号',
    '電話（自宅）',
    'TEL',
    'TEL番号',
    '電話番号①',
    'でんわ',
    'スマホ',
  ],
  Chinese: [
    '电话',
    '手机号码',
    '手机号',
    '联系电话',
    '联系人电话',
    '電話號碼',
    '行動電話',
    '手機',
    '客户手机',
    '手机/电话',
  ],
  Korean: ['전화번호', '휴대폰', '휴대폰 번호', '휴대전화번호', '핸드폰', '연락처', '고객 연락처', '집 전화'],
  Arabic: ['الهاتف', 'رقم الهاتف', 'رقم الجوال', 'موبايل', 'رقم الهاتف المحمول', 'تليفون', 'رقم هاتف العميل'],
  Hebrew: ['טלפון', 'מספר טלפון', "מס' טלפון", 'נייד', 'טלפון נייד', "טל' נייד", 'סלולרי', 'מספר הטלפון'],
  Finnish: ['Puhelin', 'Puhelinnumero', 'Matkapuhelin', 'Puh.', 'Kännykkä', 'Puhelin (työ)', 'GSM'],
  Dutch: ['Telefoon', 'Telefoonnummer', 'Mobiel', 'Mobiele telefoon', 'Mobiel nummer', 'Tel. thuis', 'GSM-nummer'],
  Polish: ['Telefon', 'Numer telefonu', 'Nr tel.', 'Telefon komórkowy', 'Komórka', 'Tel. kom.', 'Telefon służbowy'],
};

/** Other columns of the same lists: none may be taken, nor make the phone ambiguous. */
const OTHERS = [
  ...[
    'Number',
    'Fax',
    'Phone/Fax',
    'WhatsApp',
    'Mobile app',
    'Is mobile',
    'Phone type',
    'Emergency phone',
    'Portable device',
    'Home',
  ],
  ...['Cellula', 'Contatto', 'Numero', 'Numero di fax', 'Codice cliente', 'Telefonata', 'Data telefonata'],
  // The post code of Brazil.
  ...['CEP', 'Nº CEP', 'CEP No', 'Numara', 'Müşteri no', 'Faks', 'Acil durum telefonu'],
  ...['Номер', 'Номер договора', 'Факс', 'Контактное лицо', 'Телефон экстренной связи'],
  ...['番号', '顧客番号', '会社', 'FAX番号', '電話メモ', '緊急連絡先電話番号', '連絡先', '郵便番号'],
  ...['号码', '客户', '传真', '传真号码', '紧急联系人电话', '联系人', '电话类型', '邮政编码', '身份证号码'],
  ...['번호', '고객번호', '팩스', '팩스번호', '우편번호', '비상연락처'],
  ...['رقم', 'رقم العميل', 'فاكس', 'واتساب', 'رقم واتساب', 'هاتف الطوارئ'],
  ...['מספר', 'מספר לקוח', 'פקס', 'טלפון חירום', 'ווטסאפ'],
  ...['Numero', 'Asiakasnumero', 'Faksi', 'Hätäpuhelin', 'Postinumero'],
  ...['Nummer', 'Klantnummer', 'Faxnummer', 'Noodnummer', 'Werk', 'Vast'],
  ...['Numer', 'Numer klienta', 'Faks', 'Telefon alarmowy', 'Kom'],
];

/** As programs and people write one name. */
const SPELLINGS: Record<string, (header: string) => string> = {
  'as it is': (header) => header,
  'in capitals': (header) => header.toUpperCase(),
  'in Turkish capitals': (header) => header.toLocaleUpperCase('tr'),
  'in small letters': (header) => header.toLowerCase(),
  composed: (header) => header.normalize('NFC'),
  decomposed: (header) => header.normalize('NFD'),
  'in compatible forms': (header) => header.normalize('NFKC'),
  'between marks': (header) => `\u200f\ufeff ${header}\u00a0\u200e`,
  'with underscores': (header) => header.replaceAll(' ', '_'),
  'with non-breaking spaces': (header) => header.replaceAll(' ', '\u00a0'),
  'without accents on Latin letters': (header) =>
    header
      .normalize('NFD')
      .replace(/(?<=[A-Za-z])[\u0300-\u036f]/g, '')
      .replaceAll('ı', 'i')
      .replaceAll('ł', 'l')
      .normalize('NFC'),
  'in wide letters': (header) =>
    header.replace(/[A-Za-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
};

describe('a phone column is known', () => {
  test.each(Object.entries(PHONES))('in %s, however it is written', (_language, headers) => {
    const unknown = headers.flatMap((header) =>
      Object.entries(SPELLINGS).flatMap(([how, spell]) => (couldBePhone(spell(header)) ? [] : [`${header} ${how}`])),
    );
    expect(unknown).toEqual([]);
  });

  test('and no other column', () => {
    const taken = OTHERS.flatMap((header) => Object.values(SPELLINGS).map((spell) => spell(header))).filter(
      couldBePhone,
    );
    expect(taken).toEqual([]);
  });

  test('also where it is very long, at once', () => {
    expect(couldBePhone('電話'.repeat(100_000))).toBe(false);
    expect(couldBePhone('phone '.repeat(100_000))).toBe(true);
  });
});

describe('in a table', () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const check = (header: string[]) => {
    const input = `${header.join(',')}\n${header.map((_name, at) => `+49302312500${at}`).join(',')}\n`;
    return operator.run(['contacts', 'check', '-', '--json'], { input });
  };

  test.each(Object.entries(PHONES))('one name in %s is found among others', async (_language, headers) => {
    const [name = ''] = headers;
    const { code, stdout } = await check(['Name', 'Fax', name, 'Emergency phone']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ columns: { phone_number: name }, accepted: 1 });
  });

  test.each(Object.entries(PHONES))('two names in %s are never chosen between', async (_language, headers) => {
    const [one = '', two = ''] = headers;
    const { code, stderr } = await check(['Name', one, two]);
    expect(code).toBe(3);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'ambiguous_phone_column' });
  });
});
