/** Old files in the tables of PostgreSQL through which several machines shared them: whole lines, or pieces of a mebibyte. */
import type { Sql } from '../../storage/database/sql.ts';
import type { OldFiles } from './old-files.ts';

/** Whatever a colleague has written there: these are all the files that were ever shared. */
const SHARED =
  /^(register\.jsonl|plans\/opted-out\.(jsonl|count\.json)|(campaigns\/N(\.rows)?|plans\/N\/(journal|contacts|rows))\.jsonl|redials\/N\.json|plans\/N\/(plan|log|told|stop)\.json|plans\/N\/(contacts\.bin|forgotten))$/;
const TAKEN = new RegExp(SHARED.source.replaceAll('N', '[1-9]\\d{0,14}'));
/** Those that are kept line by line. */
const IN_LINES = /^(register|plans\/opted-out|plans\/\d+\/journal)\.jsonl$/;
const AT_ONCE = 1_000;

/** Nobody else writes to the tables any more: they have got other names. */
export async function oldTables(sql: Sql): Promise<OldFiles> {
  const folders = new Map<string, Set<string>>();
  for (const { path } of await sql.all<{ path: string }>('select path from before_files where not is_removed')) {
    if (!TAKEN.test(path)) continue;
    const parts = path.split('/');
    for (const [at, part] of parts.entries()) {
      const folder = parts.slice(0, at).join('/');
      folders.set(folder, (folders.get(folder) ?? new Set()).add(part));
    }
  }
  return {
    nameOf: (path) => `${path} of the shared register`,
    async names(folder) {
      return folders.get(folder) ?? new Set();
    },
    lines: (path) => (IN_LINES.test(path) ? linesOf(sql, path) : linesOfPieces(sql, path)),
    async bytes(path) {
      const pieces: Uint8Array[] = [];
      for await (const piece of piecesOf(sql, path)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  };
}

async function* linesOf(sql: Sql, path: string): AsyncGenerator<string, void> {
  for (let next = 0; ; next += AT_ONCE) {
    const rows = await sql.all<{ line: string }>(
      'select line from before_lines where path = $1 and position >= $2 and position < $3 order by position',
      [path, next, next + AT_ONCE],
    );
    for (const { line } of rows) yield `${line}\n`;
    if (rows.length < AT_ONCE) return;
  }
}

async function* piecesOf(sql: Sql, path: string): AsyncGenerator<Uint8Array, void> {
  for (let position = 0; ; position++) {
    const asked = 'select bytes from before_pieces where path = $1 and position = $2';
    const [piece] = await sql.all<{ bytes: Uint8Array }>(asked, [path, position]);
    if (piece === undefined) return;
    yield piece.bytes;
  }
}

async function* linesOfPieces(sql: Sql, path: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let left = '';
  for await (const piece of piecesOf(sql, path)) {
    const lines = `${left}${decoder.decode(piece, { stream: true })}`.split('\n');
    left = lines.pop() ?? '';
    for (const line of lines) yield `${line}\n`;
  }
  left += decoder.decode();
  if (left !== '') yield left;
}
