/** The supported encodings, and their names. */

/** A byte order mark in the file has precedence over a name. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-7',
  'iso-8859-9',
  'iso-8859-15',
  'macintosh',
  'koi8-r',
  'koi8-u',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gbk',
  'gb18030',
  'big5',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

const ALIASES = new Map<string, Encoding>([
  ['utf16', 'utf-16le'],
  ['latin1', 'iso-8859-1'],
  ['latin9', 'iso-8859-15'],
  ['sjis', 'shift_jis'],
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['gb2312', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['macroman', 'macintosh'],
]);

/** `Windows1252`, `cp1252` and `windows-1252` are the same. Undefined for an unknown name. */
export function encodingNamed(name: string): Encoding | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const asked = plain(name).replace(/^cp(125\d|874)$/, 'windows$1');
  return ENCODINGS.find((known) => plain(known) === asked) ?? ALIASES.get(asked);
}
