/** The contact flags as given → the rules of a check: templates parsed, exclusion lists read. */
import { UsageError } from '../errors.ts';
import type { Field, Mapping } from './header/columns.ts';
import { parseTemplate, TEMPLATE_FLAGS, type TemplateField, type Templates } from './header/template.ts';
import { type Encoding, parseEncoding } from './read/encodings.ts';
import { type ExclusionList, readExclusions } from './rows/exclusion-list.ts';

export const DUPLICATE_RULES = ['reject', 'skip', 'keep'] as const;
export type DuplicateRule = (typeof DUPLICATE_RULES)[number];

/** The contact flags of the command line. */
export interface ContactOptions {
  map?: { field: Field; column: string }[];
  firstLine?: string;
  instruction?: string;
  identifier?: string;
  /** ISO code of the country of national numbers. */
  country?: string | undefined;
  /** Default: reject. */
  duplicates?: DuplicateRule;
  exclude?: string[];
  skipInvalid?: true;
  rejects?: string;
  encoding?: string;
  delimiter?: string;
  headerLine?: number;
}

export interface ContactRules {
  mapping: Mapping;
  templates: Templates;
  country: string | undefined;
  duplicates: DuplicateRule;
  exclude: readonly ExclusionList[];
  /** Undefined: UTF-8, or what the byte order mark says. */
  encoding: Encoding | undefined;
  /** Undefined: found from the text. */
  delimiter: string | undefined;
  /** The line of the header, from 1. Undefined: the first row with any text. */
  headerLine: number | undefined;
}

/** An open file: its name for messages, and its bytes. */
export interface Source {
  name: string;
  bytes: AsyncIterable<Buffer>;
}

/** Opens a path of the command line; `flag` is the flag or argument that names it. */
export type Open = (path: string, flag: string) => Source;

/** Throws UsageError for flags that contradict each other, and InputError if an exclusion list is not understood. */
export async function readRules(options: ContactOptions, open: Open): Promise<ContactRules> {
  const { country, duplicates = 'reject', delimiter, headerLine } = options;
  const mapping = readMapping(options.map ?? []);
  const templates = readTemplates(options, mapping);
  const encoding = options.encoding === undefined ? undefined : parseEncoding(options.encoding);
  const exclude: ExclusionList[] = [];
  for (const path of options.exclude ?? []) {
    const { name, bytes } = open(path, '--exclude');
    exclude.push(await readExclusions(bytes, name, { country, encoding }));
  }
  return { mapping, templates, country, duplicates, exclude, encoding, delimiter, headerLine };
}

function readMapping(given: NonNullable<ContactOptions['map']>): Mapping {
  const mapping: Partial<Record<Field, string>> = {};
  for (const { field, column } of given) {
    if (field in mapping) throw new UsageError(`--map ${field} is given twice.`);
    mapping[field] = column;
  }
  return mapping;
}

function readTemplates({ firstLine, instruction, identifier }: ContactOptions, mapping: Mapping): Templates {
  const given = { custom_first_line: firstLine, custom_instruction: instruction, custom_identifiers: identifier };
  return Object.entries(given).flatMap(([name, text]) => {
    if (text === undefined) return [];
    const field = name as TemplateField;
    if (field in mapping) throw new UsageError(`${TEMPLATE_FLAGS[field]} and --map ${field}=… exclude each other.`);
    return [parseTemplate(text, field)];
  });
}
