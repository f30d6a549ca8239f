/** Tables of Markdown, as rows of two texts without its marks. */

export type Table = readonly (readonly [term: string, meaning: string])[];

/** The rows of the first table of a document whose header begins with a name. Throws if there is none. */
export function tableIn(markdown: string, name: string): Table {
  const start = markdown.search(new RegExp(`^\\| ${name} `, 'm'));
  if (start === -1) throw new Error(`no table of ${name}`);
  const [rows = ''] = markdown.slice(start).split(/\n(?!\|)/);
  return rows
    .split('\n')
    .slice(2)
    .map((row) => {
      const [term = '', ...meaning] = row.replace(/^\| *| *\|$/g, '').split(/ +\| +/);
      return [plain(term), plain(meaning.join(', '))];
    });
}

/** Code and links as plain text. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll('\\|', '|')
    .trim();
}
