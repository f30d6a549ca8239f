/**
 * Loaded into the program before it starts: writes to stdout take few bytes at a time, as those of a disk that fills do, the
 * first has to wait, as for a device that is busy, and after VAGENT_TEST_ROOM bytes none. `VAGENT_TEST_CLOSING=1`: the file system says only when stdout is closed that it has no
 * room.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const AT_A_TIME = 100;
const room = Number(process.env.VAGENT_TEST_ROOM ?? Number.POSITIVE_INFINITY);
const { closeSync, writeSync } = fs;
let written = 0;
let isReady = false;

function noRoom() {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
}

fs.writeSync = (fd, bytes, offset = 0, length = bytes.length - offset, position = null) => {
  if (fd !== 1) return writeSync(fd, bytes, offset, length, position);
  if (!isReady) {
    isReady = true;
    throw Object.assign(new Error('EAGAIN: resource temporarily unavailable, write'), { code: 'EAGAIN' });
  }
  const taken = Math.min(length, AT_A_TIME, room - written);
  if (taken <= 0) throw noRoom();
  written += taken;
  return writeSync(fd, bytes, offset, taken, position);
};
fs.closeSync = (fd) => {
  closeSync(fd);
  if (fd === 1 && process.env.VAGENT_TEST_CLOSING === '1') throw noRoom();
};
syncBuiltinESMExports();
