/** How a file of contacts is read and checked. */
import type { ChosenColumn, Mapping } from './header/columns.ts';
import type { Templates } from './header/template.ts';

export const DUPLICATE_RULES = ['reject', 'skip', 'keep'] as const;
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];

/** Names of encodings, each as messages show it. A byte order mark in the file has precedence over a name. */
export const ENCODINGS = [
  ...(['utf-8', 'utf-16le', 'utf-16be'] as const),
  ...([1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 874] as const).map((page) => `windows-${page}` as const),
  ...([1, 2, 5, 7, 9, 15] as const).map((part) => `iso-8859-${part}` as const),
  ...(['macintosh', 'koi8-r', 'koi8-u', 'shift_jis', 'euc-jp', 'euc-kr', 'gbk', 'gb18030', 'big5'] as const),
  // A spreadsheet's "CSV (MS-DOS)".
  ...([437, 850, 852, 866] as const).map((page) => `cp${page}` as const),
] as const;
export type Encoding = (typeof ENCODINGS)[number];

const ALIASES = new Map(
  Object.entries<Encoding>({
    utf16: 'utf-16le',
    latin1: 'iso-8859-1',
    latin9: 'iso-8859-15',
    sjis: 'shift_jis',
    cp932: 'shift_jis',
    cp936: 'gbk',
    gb2312: 'gbk',
    cp949: 'euc-kr',
    cp950: 'big5',
    macroman: 'macintosh',
  }),
);

/** `Windows1252`, `cp1252` and `windows-1252` are the same. Undefined for an unknown name. */
export function encodingNamed(name: string): Encoding | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const asked = plain(name).replace(/^cp(125\d|874)$/, 'windows$1');
  return ENCODINGS.find((known) => plain(known) === asked) ?? ALIASES.get(asked);
}

/** A file: its name for messages, and its bytes. */
export interface Source {
  name: string;
  bytes: AsyncIterable<Buffer>;
}

/** How it is found where contacts are. */
export interface ZoneRules {
  /** The column with the time zone of a row; it counts more than the number. */
  column?: ChosenColumn | undefined;
  /**
   * Whether somebody who may be in each of these zones can be called at all: otherwise the row has the problem `no_common_hour`. No
   * zone means that nobody can say where the number is. Asked once for the same zones and country.
   */
  accepts(zones: readonly string[], country: string | undefined): boolean;
}

export interface ContactRules {
  mapping: Mapping;
  templates: Templates;
  /** ISO code of the country of national numbers. */
  country: string | undefined;
  duplicates: DuplicateRule;
  /** Lists of numbers that are never called. */
  exclude: readonly Source[];
  /** Undefined: UTF-8, or what the byte order mark says. */
  encoding: Encoding | undefined;
  /** Undefined: found from the text. */
  delimiter: string | undefined;
  /** The line of the header, from 1. Undefined: the first row with any text. */
  headerLine: number | undefined;
  /** The sheet of a workbook. Undefined: the only one with anything in it. */
  sheet?: string | undefined;
  /** Undefined: where contacts are is not asked. */
  zones?: ZoneRules | undefined;
}
