const A = 65;

/** How a spreadsheet calls a column, counted from 0: 2 is `C`. */
export function columnName(column: number): string {
  const more = Math.floor(column / 26);
  return (more > 0 ? columnName(more - 1) : '') + String.fromCharCode(A + (column % 26));
}
