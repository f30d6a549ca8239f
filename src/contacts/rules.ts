/** How a file of contacts is read and checked. */
import type { ChosenColumn, Mapping } from './header/columns.ts';
import type { Templates } from './header/template.ts';
import type { Encoding } from './read/encodings.ts';

export const DUPLICATE_RULES = ['reject', 'skip', 'keep'] as const;
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];

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
  /** Undefined: where contacts are is not asked. */
  zones?: ZoneRules | undefined;
}
