/**
 * Loaded into the program before it starts: it tells on stderr how far the writing of the store has come, and stands still there
 * until it is killed. VAGENT_TEST_STEPS: how many steps it makes after it has written its name into the lock; the commit is the
 * last. Without a number it makes all of them, goes on, and tells how many they were.
 */
const fs = require('node:fs');

/** They change files, or see to it that a change lasts. */
const STEPS = ['mkdirSync', 'writeSync', 'fsyncSync', 'renameSync'];
const most = Number(process.env.VAGENT_TEST_STEPS ?? Number.NaN);
const { openSync, writeSync } = fs;
/** The descriptor of the lock file. */
let lock;
/** Steps since the lock was taken; undefined before that and after the commit. */
let made;

function tell(text) {
  writeSync(2, `${text}\n`);
}

function standStill(where) {
  tell(where);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  if (String(path).endsWith('/store/lock')) lock = fd;
  return fd;
};

for (const name of STEPS) {
  const step = fs[name];
  fs[name] = (...args) => {
    if (made === most) standStill('It stands before the commit.');
    const result = step(...args);
    if (made !== undefined) made++;
    else if (name === 'writeSync' && args[0] === lock) made = 0;
    if (name === 'renameSync' && made !== undefined && String(args[1]).endsWith('/store/store.json')) {
      if (!Number.isNaN(most)) standStill('It stands after the commit.');
      tell(`It committed at step ${made}.`);
      made = undefined;
    }
    return result;
  };
}
