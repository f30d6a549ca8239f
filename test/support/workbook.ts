/** Workbooks for tests, as a spreadsheet writes them: the XML of each sheet's rows, the texts, and the formats of its styles. */
import { zipOf } from './zip.ts';

interface SheetOf {
  /** The XML of `sheetData`. */
  rows: string;
  state?: 'hidden' | 'veryHidden';
  /** What stands before the rows. */
  before?: string;
  /** What follows the rows. */
  after?: string;
}

interface WorkbookOf {
  sheets: Record<string, SheetOf>;
  texts?: string[];
  /** The codes of styles 1, 2 …; a number is the id of a built-in format. */
  formats?: (string | number)[];
  is1904?: boolean;
  /** What follows the list of sheets. */
  calculation?: string;
  /** Parts in place of those that are made; undefined leaves one out. */
  parts?: Record<string, string | undefined>;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const LINKS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';

export function workbookOf(book: WorkbookOf): Buffer {
  return zipOf(partsOfWorkbook(book));
}

export function partsOfWorkbook({
  sheets,
  texts = [],
  formats = [],
  is1904,
  calculation = '',
  parts = {},
}: WorkbookOf): Record<string, string> {
  const all = Object.entries(sheets);
  const link = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const shared = (text: string) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`;
  const own = formats.map((code, at) =>
    typeof code === 'string' ? `<numFmt numFmtId="${164 + at}" formatCode="${escaped(code)}"/>` : '',
  );
  const styles = formats.map((code, at) => `<xf numFmtId="${typeof code === 'string' ? 164 + at : code}"/>`);
  const made: Record<string, string | undefined> = {
    '[Content_Types].xml': `${HEAD}<Types/>`,
    '_rels/.rels': `${HEAD}<Relationships ${LINKS}>${link('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml':
      `${HEAD}<workbook ${MAIN} xmlns:r="${OFFICE}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>` +
      all
        .map(
          ([name, { state = 'visible' }], at) =>
            `<sheet name="${escaped(name)}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`,
        )
        .join('') +
      `</sheets>${calculation}</workbook>`,
    'xl/_rels/workbook.xml.rels':
      `${HEAD}<Relationships ${LINKS}>` +
      all.map((_, at) => link(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)).join('') +
      link('rIdS', 'sharedStrings', '/xl/sharedStrings.xml') +
      link('rIdF', 'styles', 'styles.xml') +
      '</Relationships>',
    'xl/sharedStrings.xml': `${HEAD}<sst ${MAIN}>${texts.map(shared).join('')}</sst>`,
    'xl/styles.xml':
      `${HEAD}<styleSheet ${MAIN}><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>` +
      `<cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      all.map(([, { rows, before = '', after = '' }], at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${HEAD}<worksheet ${MAIN}>${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
      ]),
    ),
    ...parts,
  };
  return Object.fromEntries(Object.entries(made).filter((part): part is [string, string] => part[1] !== undefined));
}

/** Rows of texts in their cells, the first on line 1. */
export function textRows(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  return rows.map((cells, at) => `<row r="${at + 1}">${cells.map(cell).join('')}</row>`).join('');
}

export function escaped(text: string): string {
  return text.replace(/[&<>"\n]/g, (character) => `&#${character.codePointAt(0)};`);
}
