/**
 * Loaded into the program before it starts: it stands still between two steps of its writing, and says so on stderr, to be killed.
 * VAGENT_TEST_STEPS: how many steps it makes after it has written its name into its lock, if it does not commit before. Without
 * a number it goes on to its end, and tells how many steps it took to commit. VAGENT_TEST_COMMIT: the end of the path to which
 * the rename that commits leads, if it is not that of the local engine's store.
 */
const fs = require('node:fs');

/** They change files, or see to it that a change lasts. */
const STEPS = ['mkdirSync', 'writeSync', 'fsyncSync', 'renameSync', 'rmSync'];
const most = Number(process.env.VAGENT_TEST_STEPS ?? Number.NaN);
const commit = process.env.VAGENT_TEST_COMMIT ?? '/store/store.json';
const { openSync, writeSync } = fs;
/** The descriptor of the lock file. */
let lock;
/** Steps since the lock was taken; undefined before that and after the commit. */
let made;

function tell(text) {
  writeSync(2, `${text}\n`);
}

function standStill(state) {
  tell(`It ${state} and stands still.`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  if (String(path).endsWith('/lock')) lock = fd;
  return fd;
};

for (const name of STEPS) {
  const step = fs[name];
  fs[name] = (...args) => {
    if (made === most) standStill('writes');
    const result = step(...args);
    if (made !== undefined) made++;
    else if (name === 'writeSync' && args[0] === lock) made = 0;
    if (name === 'renameSync' && made !== undefined && String(args[1]).endsWith(commit)) {
      if (!Number.isNaN(most)) standStill('has committed');
      tell(`It committed at step ${made}.`);
      made = undefined;
    }
    return result;
  };
}
