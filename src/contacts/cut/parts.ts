/** How a number of rows is cut into parts, and what the parts are called. */

/** As many parts as asked for, whose sizes differ by at most one; the larger ones come first. */
export function evenParts(rows: number, parts: number): number[] {
  const least = Math.floor(rows / parts);
  return Array.from({ length: parts }, (_none, at) => least + (at < rows % parts ? 1 : 0));
}

/** Parts of a size, and what is left over in the last. */
export function partsOfSize(rows: number, size: number): number[] {
  return Array.from({ length: Math.ceil(rows / size) }, (_none, at) => Math.min(size, rows - at * size));
}

/** `part-01.csv` … `part-12.csv` for `part.csv`: with zeros before the number, so that they sort by name. */
export function partNames(name: PartName, count: number): string[] {
  const { stem, ending } = name;
  const width = String(count).length;
  return Array.from({ length: count }, (_none, at) => `${stem}-${String(at + 1).padStart(width, '0')}.${ending}`);
}

export interface PartName {
  stem: string;
  ending: string;
}

const ENDING = /^(?<stem>.*[^/\\])\.(?<ending>csv|tsv|txt)$/is;

/** A name without an ending is one of CSV files. */
export function partNameOf(name: string): PartName {
  const { stem = name, ending = 'csv' } = ENDING.exec(name)?.groups ?? {};
  return { stem, ending };
}

/** Whether a file could be a part of that name, of whatever run. Both are names without folders. */
export function isPartOf({ stem, ending }: PartName, file: string): boolean {
  const number =
    file.startsWith(`${stem}-`) && file.endsWith(`.${ending}`) && file.slice(stem.length + 1, -ending.length - 1);
  return number !== false && /^\d+$/.test(number);
}
