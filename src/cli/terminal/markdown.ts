/** Markdown as plain text for a terminal: headings in capitals, examples indented, tables fitted to its width. */
import { hung, wrap } from '../../text/width.ts';

/** Spaces between two columns. */
const GAP = 2;
/** The library's lines around and between cells. */
const SIDES = ['top', 'bottom', 'left', 'right', 'mid'];
const CORNERS = ['top-left', 'top-right', 'bottom-left', 'bottom-right'];
const LINES = [...SIDES.flatMap((side) => [side, `${side}-mid`]), ...CORNERS];

/** Understands headings, fenced code, lists and tables, with empty lines around each; other text is wrapped anew. */
export async function renderMarkdown(markdown: string, columns: number): Promise<string> {
  const blocks = markdown.trim().match(/^```[\s\S]*?^```$|^(?:(?!```).+(?:\n|$))+/gm) ?? [];
  const texts = await Promise.all(
    blocks.map((block) => {
      if (block.startsWith('```')) return block.replace(/^```.*\n|\n```$/g, '').replace(/^(?=.)/gm, '  ');
      if (block.startsWith('#')) return block.replace(/^#+ /, '').toUpperCase();
      const text = block.replace(/`([^`\n]+)`/g, '$1');
      if (text.startsWith('|')) return layOutTable(text, columns);
      return text.startsWith('- ') ? layOutList(text, columns) : wrap(text.replace(/\s+/g, ' '), columns).join('\n');
    }),
  );
  return `${texts.map((text) => text.trimEnd()).join('\n\n')}\n`;
}

function layOutList(block: string, columns: number): string {
  const items = block.split(/^- /m).slice(1);
  return items.flatMap((item) => hung('- ', item.trim().replace(/\s+/g, ' '), columns)).join('\n');
}

async function layOutTable(block: string, columns: number): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const chars = Object.fromEntries(LINES.map((line) => [line, '']));
  const [head = [], _rule, ...rows] = block.trimEnd().split('\n').map(cellsOf);
  const widest = widestOf([head, ...rows], (cell) => cell.length);
  const isWide = sum(widest) > columns - GAP * (head.length - 1);
  const colWidths = isWide ? narrowed(widest, [head, ...rows], columns) : widest;
  const table = new Table({
    ...{ head, colWidths, wordWrap: true, chars: { ...chars, middle: ' '.repeat(GAP) } },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  // An empty line separates rows that need several lines.
  table.push(...rows.flatMap((row) => (isWide ? [row, row.map(() => '')] : [row])));
  return table.toString().replace(/ +$/gm, '');
}

/** The cells of `| a | b |`. A bar within a cell has a backslash before it. */
function cellsOf(line: string): string[] {
  const cells = line.replace(/^\| *| *\|$/g, '').split(/ *(?<!\\)\| */);
  return cells.map((cell) => cell.replaceAll('\\|', '|'));
}

/** Each column gets the width of its longest word, and a share of the remaining width by the length of its texts. */
function narrowed(widest: readonly number[], rows: readonly string[][], columns: number): number[] {
  const longestWord = widestOf(rows, (cell) => Math.max(...cell.split(' ').map((word) => word.length)));
  const wanted = widest.map((width, at) => width - (longestWord[at] ?? 0));
  const left = columns - sum(longestWord) - GAP * (widest.length - 1);
  return longestWord.map((width, at) => width + Math.max(0, Math.floor((left * (wanted[at] ?? 0)) / sum(wanted))));
}

function widestOf(rows: readonly string[][], widthOf: (cell: string) => number): number[] {
  return (rows[0] ?? []).map((_name, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
