/**
 * Loaded into the program before it starts, it takes something away that most systems have. VAGENT_TEST_WITHOUT names it:
 * `home`: the user has no entry; `locks`: the file system has none; `writing`: what is below VAGENT_TEST_FOLDER can only be read.
 */
import fs from 'node:fs';
import Module, { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

function refusal(code, syscall) {
  return Object.assign(new Error(`${code}: made to fail, ${syscall}`), { code, syscall });
}

const takeAway = {
  home() {
    os.homedir = () => {
      throw refusal('ERR_SYSTEM_ERROR', 'uv_os_homedir');
    };
    os.userInfo = () => {
      throw refusal('ERR_SYSTEM_ERROR', 'uv_os_get_passwd');
    };
  },
  locks() {
    const refuse = () => {
      throw refusal('ENOLCK', 'fcntl');
    };
    const load = Module._extensions['.node'];
    Module._extensions['.node'] = (module, path) => {
      if (!path.includes('fs-native-extensions')) return load(module, path);
      module.exports = { tryLock: refuse, unlock: refuse };
    };
  },
  writing() {
    const isBelow = (path) => String(path).startsWith(process.env.VAGENT_TEST_FOLDER);
    for (const name of ['mkdirSync', 'renameSync', 'rmSync']) {
      const real = fs[name];
      fs[name] = (path, ...rest) => {
        if (isBelow(path)) throw refusal('EROFS', name);
        return real(path, ...rest);
      };
    }
    const { openSync } = fs;
    const { O_RDWR, O_WRONLY } = fs.constants;
    fs.openSync = (path, flags, mode) => {
      const writes = typeof flags === 'number' ? (flags & (O_WRONLY | O_RDWR)) !== 0 : flags !== 'r';
      if (writes && isBelow(path)) throw refusal('EROFS', 'open');
      return openSync(path, flags, mode);
    };
  },
};
takeAway[process.env.VAGENT_TEST_WITHOUT]();
syncBuiltinESMExports();
