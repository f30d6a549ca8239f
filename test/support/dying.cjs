/**
 * Loaded into the program before it starts: it is killed, as by SIGKILL, before a step of its writing, in files or in a database.
 * VAGENT_TEST_DIES_AT: before which one, from 0. Without a number it goes on to its end, and tells on stderr how many steps it made.
 */
const fs = require('node:fs');

/** They change files, or see to it that a change lasts. */
const STEPS = ['mkdirSync', 'writeSync', 'fsyncSync', 'ftruncateSync', 'renameSync', 'rmSync'];
const last = Number(process.env.VAGENT_TEST_DIES_AT ?? Number.NaN);
const { writeSync } = fs;
/** Standard output and error are no files. */
const FIRST_FILE = 3;
let made = 0;

function step(act) {
  if (made === last) process.kill(process.pid, 'SIGKILL');
  made++;
  return act();
}

for (const name of STEPS) {
  const call = fs[name];
  fs[name] = (...args) => {
    if (typeof args[0] === 'number' && args[0] < FIRST_FILE) return call(...args);
    return step(() => call(...args));
  };
}

const isOwn = Number.parseInt(process.versions.node, 10) >= 24;
const name = isOwn ? 'node:sqlite' : '@photostructure/sqlite';
const known = require(name);

class Dying extends known.DatabaseSync {
  exec(text) {
    return step(() => super.exec(text));
  }

  prepare(text) {
    const statement = super.prepare(text);
    return { all: (...values) => statement.all(...values), run: (...values) => step(() => statement.run(...values)) };
  }
}

if (isOwn) known.DatabaseSync = Dying;
else require.cache[require.resolve(name)].exports = { ...known, DatabaseSync: Dying };

process.on('exit', () => writeSync(2, `It made ${made} steps.\n`));
