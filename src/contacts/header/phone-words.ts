/**
 * Names of phone columns in many languages: words for a phone, and words that may stand beside them. A name with any other
 * word, such as "fax" or "emergency", is not a phone column.
 */

const PHONE = `
  phone telephone tel mobile cell cellphone mobilephone phonenumber msisdn e164
  telefono telefonos movil moviles celular celulares telefonico
  telefon telefonnummer telefonnr telnr mobil mobilnummer mobilnr mobiltelefon mobilfunk mobilfunknummer handy handynummer
  handynr rufnummer festnetz festnetznummer
  portable gsm
  telefone telefones telemovel telemoveis
  फोन मोबाइल टेलीफोन दूरभाष
  cellulare cellulari telefoni telefonica
  telefonu telefonları telefonunuz
  телефон телефоны телефона телефонов тел моб мобильный мобильного мобильные сотовый сотового
  電話 でんわ デンワ 携帯 ケータイ スマホ
  电话 手机 手機 座机 座機 固话 固話
  전화 휴대폰 휴대전화 핸드폰 휴대 연락처 모바일
  هاتف الهاتف جوال الجوال موبايل الموبايل محمول المحمول تليفون التليفون تلفون التلفون نقال النقال
  טלפון הטלפון נייד הנייד סלולרי הסלולרי סלולר פלאפון טל
  puhelin puhelinnumero puhelinnro puh matkapuhelin matkapuhelinnumero kännykkä kännykkänumero
  telefoon telefoonnummer telefoonnr mobiel mobiele mobielnummer gsmnummer
  telefonu telefony komórka komórki komórkowy komórkowego
`;

const AROUND = `
  number numbers no num nr n value the of to 1 2 3 4 5
  home work business office private personal main primary secondary alternate alternative alt other
  customer client contact patient called
  de del do da di numero numeros nro principal casa trabajo oficina particular contacto cliente paciente
  nummer privat geschaftlich dienstlich buro arbeit zuhause kunde kunden patienten
  bureau travail domicile pro perso fixe client
  trabalho residencial comercial fixo contato
  नंबर नम्बर नं संख्या संपर्क सम्पर्क
  numeri recapito contatto ufficio lavoro abitazione fisso privato personale principale clienti paziente pazienti
  numarası numara numaraları cep ev sabit irtibat iletişim müşteri hasta kişisel
  номер номера контактный контактного рабочий домашний личный основной дополнительный городской клиента пациента абонента
  番号 連絡先 ご 自宅 勤務先 会社 固定 日中 お客様 顧客 患者 本人
  号码 號碼 号 號 联系 聯繫 聯絡 联络 联系人 聯絡人 移动 移動 行動 客户 客戶 顾客 病人 家庭 住宅 公司 办公 辦公 办公室 辦公室 单位 單位
  个人 個人 主要 备用 備用
  번호 고객 환자 집 자택 회사 직장 사무실 개인 연락 본인
  رقم ارقام أرقام العميل عميل الزبون المريض المنزل العمل المكتب الشخصي الأساسي
  מספר מס בית בבית עבודה בעבודה משרד לקוח הלקוח מטופל אישי ראשי נוסף
  koti kotona työ oma asiakas asiakkaan potilaan
  vast vaste thuis werk prive zakelijk klant persoonlijk
  numer numeru kom domowy służbowy prywatny kontaktowy stacjonarny główny klienta pacjenta
`;

/** Words that mean a phone only together: "number" alone does not. */
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
  'cep numarası',
  'iletişim numarası',
  'irtibat numarası',
  'iş telefonu',
  'iş tel',
  'контактный номер',
  '連絡先番号',
  'رقم الاتصال',
  'رقم التواصل',
  'מספר ליצירת קשר',
  'numer kontaktowy',
  'nr kom',
];

const wordSet = (text: string) =>
  new Set(text.split(/\s+/).flatMap((word) => (word === '' ? [] : [plainHeader(word)])));
const phoneWords = wordSet(PHONE);
const wordsAround = wordSet(AROUND);
const together = new Set(TOGETHER.map(plainHeader));

/** Whether a column of that name could hold the phone numbers. */
export function couldBePhone(header: string): boolean {
  const plain = plainHeader(header);
  if (together.has(plain)) return true;
  const words = plain.split(' ').flatMap((word) => partsOf(word) ?? [word]);
  return (
    words.some((word) => phoneWords.has(word)) && words.every((word) => phoneWords.has(word) || wordsAround.has(word))
  );
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Characters. A longer word is not split, to bound the time. */
const LONGEST_COMPOUND = 60;

/** Splits a word of a script without spaces into known words; undefined if that is not possible. */
function partsOf(word: string): string[] | undefined {
  if (isKnown(word) || word.length > LONGEST_COMPOUND || !WITHOUT_SPACES.test(word)) return undefined;
  /** For each position that known words reach, the words up to there. */
  const ways: (string[] | undefined)[] = [[]];
  for (let end = 1; end <= word.length; end++) {
    for (let begin = 0; begin < end && ways[end] === undefined; begin++) {
      const way = ways[begin];
      const part = word.slice(begin, end);
      if (way !== undefined && isKnown(part)) ways[end] = [...way, part];
    }
  }
  return ways[word.length];
}

function isKnown(word: string): boolean {
  return phoneWords.has(word) || wordsAround.has(word);
}

/**
 * Lower case, without accents, punctuation and invisible characters: `N° de Téléphone` becomes `n de telephone`. `ı` and `ł`
 * become `i` and `l`: they have no accent that can be removed, but people write them so.
 */
export function plainHeader(header: string): string {
  return header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670\u093c\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/ı/g, 'i')
    .replace(/ł/g, 'l')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
