/** Reads a part of a workbook as its XML arrives. What is not plain XML, such as one that defines entities, is refused. */
import { SaxesParser } from 'saxes';
import { badWorkbook, type ZipParts } from './zip-parts.ts';

export type Attributes = Record<string, string>;

/** Names come without the prefix of their namespace. */
export interface Handlers {
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  /** The text between two tags. */
  text?(text: string): void;
}

/** Characters between two tags: a cell has at most 32,767. */
const LONGEST_TEXT = 1 << 20;
/** Tags within one another: each takes memory until it is closed. */
const DEEPEST = 100;

/** Nothing is returned but the moments at which what has come so far is handled. Throws InputError. */
export async function* readXml(
  parts: ZipParts,
  { part, limit, source }: { part: string; limit: number; source: string },
  { open, close, text }: Handlers,
): AsyncGenerator<void, void> {
  const refused = (what: string) => badWorkbook(source, `is a damaged workbook: its part ${part} ${what}`);
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  let sinceTag = 0;
  let depth = 0;
  parser.on('error', ({ message }) => {
    throw refused(`is not sound XML (${message.replace(/\.$/, '')})`);
  });
  parser.on('doctype', () => {
    throw refused('defines entities of its own, which no spreadsheet does');
  });
  parser.on('opentag', ({ name, attributes }) => {
    sinceTag = 0;
    if (++depth > DEEPEST) throw refused('is nested deeper than any sheet');
    open(withoutPrefix(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    sinceTag = 0;
    depth--;
    close?.(withoutPrefix(name));
  });
  if (text !== undefined) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of parts.content(part, limit)) {
      sinceTag += piece.length;
      parser.write(decoder.decode(piece, { stream: true }));
      if (sinceTag > LONGEST_TEXT) throw refused('has a text of more than a megabyte');
      yield;
    }
    parser.write(decoder.decode());
    parser.close();
    yield;
  } catch (error) {
    throw error instanceof TypeError ? refused('is not UTF-8') : error;
  }
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Reads all of a part that fits into memory. Throws InputError. */
export async function readWhole(
  parts: ZipParts,
  place: { part: string; limit: number; source: string },
  handlers: Handlers,
): Promise<void> {
  for await (const _ of readXml(parts, place, handlers));
}
