/**
 * Loaded into the program before it starts: it is killed, as by SIGKILL, before a step of its writing. VAGENT_TEST_DIES_AT: before
 * which one, from 0. Without a number it goes on to its end, and tells on stderr how many steps it made.
 */
const fs = require('node:fs');

/** They change files, or see to it that a change lasts. */
const STEPS = ['mkdirSync', 'writeSync', 'fsyncSync', 'ftruncateSync', 'renameSync', 'rmSync'];
const last = Number(process.env.VAGENT_TEST_DIES_AT ?? Number.NaN);
const { writeSync } = fs;
/** Standard output and error are no files. */
const FIRST_FILE = 3;
let made = 0;

for (const name of STEPS) {
  const step = fs[name];
  fs[name] = (...args) => {
    if (typeof args[0] === 'number' && args[0] < FIRST_FILE) return step(...args);
    if (made === last) process.kill(process.pid, 'SIGKILL');
    made++;
    return step(...args);
  };
}

process.on('exit', () => writeSync(2, `It made ${made} steps.\n`));
