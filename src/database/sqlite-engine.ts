/** SQLite itself: Node's own where Node has it without a warning, else the same functions from a package that brings its binary. */
import { createRequire } from 'node:module';
import type { Value } from './sql.ts';

/** The first version of Node whose own SQLite says nothing at its start. */
const HAS_OWN = 24;

export interface Statement {
  all(...values: Value[]): unknown[];
  run(...values: Value[]): { changes: number | bigint };
}

/** What is used of it. */
export interface Engine {
  exec(text: string): void;
  prepare(text: string): Statement;
  close(): void;
}

/** Loaded only where rows are kept. Throws what SQLite throws. */
export function openEngine(path: string): Engine {
  const isOwn = Number.parseInt(process.versions.node, 10) >= HAS_OWN;
  const { DatabaseSync } = createRequire(import.meta.url)(isOwn ? 'node:sqlite' : '@photostructure/sqlite');
  return new DatabaseSync(path);
}
