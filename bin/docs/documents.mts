/** The documents that are written from the program itself, by their paths in the project. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { readTopic, TOPICS } from '../../src/commands/shared/topics.ts';
import { configFolder, stateFolder } from '../../src/settings/folders.ts';
import { configPath } from '../../src/settings/profiles.ts';
import { documentedProgram } from './commands.mts';
import { manPage } from './man-page.mts';
import { reference } from './reference.mts';
import { tableIn } from './tables.mts';

const ROOT = resolve(import.meta.dirname, '../..');
export const MAN_PAGE = 'bin/vagent.1';
export const REFERENCE = 'src/commands/README.md';

/** `today` is the date of a manual page that is not what it was, YYYY-MM-DD. */
export async function documents(today: string): Promise<Record<string, string>> {
  const program = await documentedProgram();
  const [flags, settings, exitCodes] = await Promise.all([
    readTopic('flags'),
    readTopic('environment'),
    readTopic('exit-codes'),
  ]);
  const env = { HOME: '~' };
  const page = (date: string) =>
    manPage({
      ...program,
      version: packageJson.version,
      date,
      globalFlags: flags
        .split('\n## ')
        .slice(1)
        .flatMap((part) => tableIn(part, 'flag')),
      environment: tableIn(settings, 'variable'),
      files: [
        [configPath(configFolder(env)), 'profiles'],
        [join(stateFolder(env), 'vagent.db'), 'the register of what was sent to real services, and the plans'],
        [join(stateFolder(env), 'store'), "the local engine's store"],
        [join(stateFolder(env), 'completion'), 'lists of services for completion'],
      ],
      exitCodes: tableIn(exitCodes, 'code'),
      topics: Object.entries(TOPICS),
    });
  const standing = existsSync(join(ROOT, MAN_PAGE)) ? readFileSync(join(ROOT, MAN_PAGE), 'utf8') : '';
  const [, since = today] = /^\.TH VAGENT 1 (\S+)/m.exec(standing) ?? [];
  return { [MAN_PAGE]: page(since) === standing ? standing : page(today), [REFERENCE]: reference(program) };
}
