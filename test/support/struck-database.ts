/** SQLite whose transactions can be met, in this process: whoever opens a database after this was loaded gets such a one. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const isOwn = Number.parseInt(process.versions.node, 10) >= 24;
const name = isOwn ? 'node:sqlite' : '@photostructure/sqlite';

type Meeting = (text: string, execute: () => void) => void;
const untouched: Meeting = (_text, execute) => execute();
let meeting = untouched;

/** Called instead of what begins or ends a transaction; undefined: nothing is met any more. */
export function meetTransactions(met: Meeting | undefined): void {
  meeting = met ?? untouched;
}

const known = require(name);

class Struck extends known.DatabaseSync {
  exec(text: string): void {
    meeting(text, () => super.exec(text));
  }
}

if (isOwn) known.DatabaseSync = Struck;
else Object.assign(require.cache[require.resolve(name)] as object, { exports: { ...known, DatabaseSync: Struck } });
