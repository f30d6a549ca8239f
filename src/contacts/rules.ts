/** How a file of contacts is read and checked. */
import type { Mapping } from './header/columns.ts';
import type { Templates } from './header/template.ts';
import type { Encoding } from './read/encodings.ts';

export const DUPLICATE_RULES = ['reject', 'skip', 'keep'] as const;
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];

/** A file: its name for messages, and its bytes. */
export interface Source {
  name: string;
  bytes: AsyncIterable<Buffer>;
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
}
