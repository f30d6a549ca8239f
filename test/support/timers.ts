/** Programs in the place of the system's own timers, which keep what they are given in a home of their own. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './program.ts';

/** The crontab is the file `tab` of the home. */
export const CRONTAB = `
case "$1" in
-l) if [ -f "$HOME/tab" ]; then cat "$HOME/tab"; else echo "no crontab for ann" >&2; exit 1; fi ;;
-) cat >"$HOME/tab" ;;
esac`;

/** Each a script of the shell, by its name. */
export function fakePrograms(programs: Record<string, string>, home = temporaryFolder()) {
  const bin = join(home, 'fakes');
  mkdirSync(bin);
  for (const [name, script] of Object.entries({ systemctl: 'exit 1', crontab: 'exit 1', ...programs })) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>"$HOME/asked"\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const file = join(home, 'asked');
  return {
    home,
    env: { HOME: home, PATH: `${bin}:/usr/bin:/bin` },
    /** The command lines of these programs, in their order. */
    asked: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
  };
}

/**
 * What the shell is given of the command in a line of a crontab, by Debian's cron and by others, which differ in this: two
 * backslashes are one, or two.
 */
export function asCronDoes(line: string): [debian: string, others: string] {
  const command = line.trimEnd().replace(/^(\S+ ){5}/, '');
  const given = (isOne: (sign: string) => boolean) =>
    command.replace(/\\(.)|%.*/g, (both, sign?: string) => (sign === undefined ? '' : isOne(sign) ? sign : both));
  return [given((sign) => sign === '%' || sign === '\\'), given((sign) => sign === '%')];
}
