// Lets Node.js keep compiled code, so that the next start does not compile it again.
const { lstatSync, mkdirSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');

/**
 * Node.js trusts what it finds in the folder. Its default is a shared temporary folder, which another user could fill
 * beforehand. So a folder is used that only this user may write to; without one, nothing is kept.
 */
exports.keepCompiled = () => {
  const { HOME, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  if (enableCompileCache === undefined || NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const folder = join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'vagent');
    // A relative one would be another in each folder that a command is run in.
    if (!isAbsolute(folder)) return;
    make(dirname(folder));
    make(folder);
    if (isOwn(folder)) enableCompileCache(folder);
  } catch {
    // Without the cache everything still works, only slower.
  }
};

function make(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

function isOwn(folder) {
  const { mode, uid } = lstatSync(folder);
  // On Windows every user has a folder of their own, and there are no such modes.
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o170022) === 0o040000);
}
