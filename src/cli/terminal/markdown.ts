/** Markdown as plain text for a terminal: headings in capitals, examples indented, tables fitted to its width. */
import { hung, widthOf, wrap } from '../../text/width.ts';
import { exampleIn } from '../flags/help-layout.ts';

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
      if (block.startsWith('```')) return layOutCode(block.replace(/\n```$/, ''), columns);
      if (block.startsWith('#')) return wrap(block.replace(/^#+ /, '').toUpperCase(), columns).join('\n');
      // A span of code, or bold, may go on in the next line.
      const text = block.replace(/`([^`]+)`|\*\*([^*]+)\*\*/g, '$1$2');
      if (text.startsWith('|')) return layOutTable(text, columns);
      return text.startsWith('- ') ? layOutList(text, columns) : wrap(text.replace(/\s+/g, ' '), columns).join('\n');
    }),
  );
  return `${texts.map((text) => text.trimEnd()).join('\n\n')}\n`;
}

/** Indented; a line that is too wide goes on below, a command so that a shell puts it together again. */
function layOutCode(block: string, columns: number): string {
  const [fence = '', ...lines] = block.split(/\n(?!>)/);
  const isScript = fence === '```sh';
  return lines
    .flatMap((text) => {
      if (text.split('\n').every((line) => widthOf(line) <= columns - GAP)) return text.replace(/^(?=.)/gm, '  ');
      const isCommand = isScript || text.startsWith('$ ');
      const line = text.replace(/ \\\n> +/g, ' ');
      const command = exampleIn(columns, isScript ? ' ' : '  $')(line.replace(/^\$ /, ''));
      // Quotes that end on a later line are no words of a command.
      const isWhole = isCommand && bare(command.join('\n').replace(/ \\\n/g, ' ')) === bare(line);
      return isWhole ? command : flowing(line, columns);
    })
    .join('\n');
}

function bare(command: string): string {
  return command.replace(/^\s*\$/, '').replace(/\s+/g, '');
}

/** Output keeps its spaces, and goes on a little further in. */
function flowing(line: string, columns: number): string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const words = line.trim().match(/\S+ */g) ?? [];
  return wrapped(words, columns - GAP - indent.length - GAP).map(
    (text, at) => ' '.repeat(GAP) + indent + (at === 0 ? '' : ' '.repeat(GAP)) + text.trimEnd(),
  );
}

/** Words with the spaces after them, in lines of at most that width. */
function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = [''];
  for (const word of words.flatMap((word) => (widthOf(word.trimEnd()) > width ? wrap(word, width, [word]) : [word]))) {
    const line = lines.pop() ?? '';
    const isRoom = line === '' || widthOf((line + word).trimEnd()) <= width;
    lines.push(...(isRoom ? [line + word] : [line, word]));
  }
  return lines;
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
  if (sum(longestWords([head, ...rows])) > columns - GAP * (head.length - 1)) return stacked(head, rows, columns);
  const isWide = sum(widest) > columns - GAP * (head.length - 1);
  const colWidths = isWide ? narrowed(widest, [head, ...rows], columns) : widest;
  const table = new Table({
    ...{ head, colWidths, wordWrap: true, chars: { ...chars, middle: ' '.repeat(GAP) } },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  // An empty line separates rows whose names need several lines: otherwise the names show where a row begins.
  const isTorn = isWide && rows.some(([name = '']) => name.length > (colWidths[0] ?? 0));
  table.push(...rows.flatMap((row) => (isTorn ? [row, row.map(() => '')] : [row])));
  return table.toString().replace(/ +$/gm, '');
}

/** A table that is too wide for its words: each row as a list under its name. */
function stacked(head: readonly string[], rows: readonly string[][], columns: number): string {
  const texts = rows.map(([name = '', ...cells]) => [
    ...wrap(name, columns),
    ...cells.flatMap((cell, at) => (cell === '' ? [] : hung(' '.repeat(GAP), `${head[at + 1]}: ${cell}`, columns))),
  ]);
  return texts.map((lines) => lines.join('\n')).join('\n\n');
}

/** The cells of `| a | b |`. A bar within a cell has a backslash before it. */
function cellsOf(line: string): string[] {
  const cells = line.replace(/^\| *| *\|$/g, '').split(/ *(?<!\\)\| */);
  return cells.map((cell) => cell.replaceAll('\\|', '|'));
}

/** Each column gets the width of its longest word, and a share of the remaining width by the length of its texts. */
function narrowed(widest: readonly number[], rows: readonly string[][], columns: number): number[] {
  const longestWord = longestWords(rows);
  const wanted = widest.map((width, at) => width - (longestWord[at] ?? 0));
  const left = columns - sum(longestWord) - GAP * (widest.length - 1);
  return longestWord.map((width, at) => width + Math.max(0, Math.floor((left * (wanted[at] ?? 0)) / sum(wanted))));
}

function longestWords(rows: readonly string[][]): number[] {
  return widestOf(rows, (cell) => Math.max(...cell.split(' ').map((word) => word.length)));
}

function widestOf(rows: readonly string[][], widthOf: (cell: string) => number): number[] {
  return (rows[0] ?? []).map((_name, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
