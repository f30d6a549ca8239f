/** Tables that fit the terminal: where columns do not fit, the least important ones shrink, and then go. */
import { shortened, widthOf } from '../../text/width.ts';

export interface Column<T> {
  /** The name by which `--fields` knows it. */
  field: string;
  heading: string;
  isRight: boolean;
  /** Whether its texts may be cut: never ids, phone numbers, times, amounts and statuses. */
  mayShrink: boolean;
  /** One line of text without escape sequences, whose keys are masked. */
  show: (item: T) => string;
  /** The number of an escape sequence; undefined for none. */
  colour: (item: T) => number | undefined;
}

interface TableLayout {
  /** Characters to a line; undefined if every column is shown in full. */
  room: number | undefined;
  /** Fields, the most important first; those that it does not name come last. */
  importance: readonly string[];
  hasHeader: boolean;
  hasColors: boolean;
  /** Stands for what was cut off. */
  mark: string;
}

export interface Table {
  /** With their line breaks. */
  lines: Generator<string>;
  /** The fields for which there was no room. */
  hidden: string[];
}

const GAP = '  ';
/** Characters to which long texts shrink before any column goes, and the least that is left of a text. */
const COMFORTABLE = 24;
const LEAST = 10;

/** The items are gone through several times. */
export function layOutTable<T>(items: Iterable<T>, columns: readonly Column<T>[], layout: TableLayout): Table {
  const natural = columns.map(({ heading }) => (layout.hasHeader ? widthOf(heading) : 1));
  for (const item of items) {
    for (const [at, { show }] of columns.entries()) natural[at] = Math.max(natural[at] ?? 0, widthOf(show(item)));
  }
  const widths = widthsFor(
    columns.map(({ heading, mayShrink, field }, at) => ({
      natural: natural[at] ?? 0,
      least: mayShrink ? Math.max(widthOf(heading), LEAST) : Number.POSITIVE_INFINITY,
      rank: rankOf(field, at, layout.importance),
    })),
    layout.room ?? Number.POSITIVE_INFINITY,
  );
  const shown = columns.flatMap((column, at) => {
    const width = widths[at];
    return width === undefined ? [] : [{ ...column, width }];
  });
  const hidden = columns.filter((_column, at) => widths[at] === undefined).map(({ field }) => field);
  return { lines: drawn(items, shown, layout), hidden };
}

function rankOf(field: string, at: number, importance: readonly string[]): number {
  const rank = importance.indexOf(field);
  return rank === -1 ? importance.length + at : rank;
}

interface Need {
  /** The width of its widest text, and the least to which it may shrink. */
  natural: number;
  least: number;
  /** The most important column has the lowest. */
  rank: number;
}

/** The width of each column, undefined for one that goes. The most important one stays in any case. */
export function widthsFor(needs: readonly Need[], room: number): (number | undefined)[] {
  const widths: (number | undefined)[] = needs.map(({ natural }) => natural);
  const order = [...needs.keys()].sort((one, other) => (needs[other]?.rank ?? 0) - (needs[one]?.rank ?? 0));
  const missing = () => {
    const shown = widths.filter((width) => width !== undefined);
    return shown.reduce((total, width) => total + width, GAP.length * (shown.length - 1)) - room;
  };
  const shrink = (at: number, to: number) => {
    const { natural = 0, least = 0 } = needs[at] ?? {};
    const width = widths[at] ?? natural;
    if (missing() > 0) widths[at] = Math.max(Math.min(width, Math.max(to, least)), width - missing());
  };
  for (const at of order) shrink(at, COMFORTABLE);
  for (const at of order) {
    shrink(at, 0);
    if (missing() > 0 && at !== order.at(-1)) widths[at] = undefined;
  }
  // What the columns that went have left is for the texts that shrank.
  for (const at of order.toReversed()) {
    const width = widths[at];
    if (width !== undefined && missing() < 0) widths[at] = Math.min(needs[at]?.natural ?? 0, width - missing());
  }
  return widths;
}

interface Shown<T> extends Column<T> {
  width: number;
}

function* drawn<T>(
  items: Iterable<T>,
  columns: readonly Shown<T>[],
  { hasHeader, hasColors, mark }: TableLayout,
): Generator<string> {
  const line = (textOf: (column: Shown<T>) => string, colourOf: (column: Shown<T>) => number | undefined) => {
    const cells = columns.map((column) => {
      const text = shortened(textOf(column), column.width, mark);
      const space = ' '.repeat(column.width - widthOf(text));
      const shown = hasColors ? painted(text, colourOf(column)) : text;
      return column.isRight ? space + shown : shown + space;
    });
    return `${cells.join(GAP).replace(/ +$/, '')}\n`;
  };
  if (hasHeader)
    yield line(
      ({ heading }) => heading,
      () => 1,
    );
  for (const item of items)
    yield line(
      ({ show }) => show(item),
      ({ colour }) => colour(item),
    );
}

/** What ends bold and dim, and what ends a colour. */
const ENDS: Record<number, number> = { 1: 22, 2: 22 };

/** The text with an escape sequence around it, if there is one and something to colour. */
export function painted(text: string, colour: number | undefined): string {
  return colour === undefined || text === '' ? text : `\u001b[${colour}m${text}\u001b[${ENDS[colour] ?? 39}m`;
}
