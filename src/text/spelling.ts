/** Whether two labels are the same word, however somebody writes it. */

/** A label without what spellings differ in: case, and the dashes, underscores and spaces between its parts. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/[-_\s]+/g, '');
}
