/**
 * The scripts that teach a shell to complete vagent's command lines, and where a shell finds them. They are those of
 * @bomb.sh/tab, mended where they would run commands that stand in a line when Tab is pressed, or lose part of it.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables look like those of a template
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SHELLS, type Shell } from '../../cli/completion/request.ts';
import { systemCode, UsageError } from '../../errors.ts';
import { configHome, dataHome, type Environment, homeFolder } from '../../settings/folders.ts';
import { withFileErrors } from '../../storage/files/file-system.ts';
import { shellWord } from '../../text/shell.ts';

/** A text of the library's script, and what stands there instead. */
type Mend = readonly [text: string, instead: string];

const MENDS: Readonly<Record<Exclude<Shell, 'bash'>, readonly Mend[]>> = {
  zsh: [
    ['="vagent complete -- ', '="vagent complete zsh -- '],
    // Words stay whole: they were split at every space, and an empty one was lost.
    ['words=( "${=words[1,CURRENT]}" )', 'words=( "${(@)words[1,CURRENT]}" )'],
    // What precedes the = is evaluated later, so it must be a flag and nothing else.
    [`=~ '-.*='`, `=~ '^-[-a-zA-Z]*='`],
    // Of a value with a colon, only what precedes it was taken.
    ['comp=${comp//:/\\:}', 'comp=${comp//:/\\\\:}'],
    // zsh quotes values itself, unless it is told not to.
    ['completions -Q ', 'completions '],
  ],
  fish: [['(vagent complete -- ', '(vagent complete fish -- ']],
  powershell: [
    [`"& vagent complete '--' `, `"& vagent complete powershell '--' `],
    // To PowerShell, typographic quotes are quotes as well: a text ended there, and what followed was run.
    [`-replace "'", "''"`, `-replace "['\\u2018-\\u201b]", '$0$0'`],
  ],
};

/**
 * For bash, a script of our own. The library's needs the package bash-completion, evaluates the line and the values, cannot be
 * loaded twice, and completes neither `--flag=` nor values with spaces. The build copies it beside the program. Throws if another
 * script of the library is no longer the one that is mended here.
 */
export async function scriptFor(shell: Shell): Promise<string> {
  if (shell === 'bash') return readFile(new URL('vagent.bash', import.meta.url), 'utf8');
  const { script } = await import('@bomb.sh/tab');
  let text = printed(() => script(shell, 'vagent', 'vagent'));
  for (const [from, to] of MENDS[shell]) {
    if (text.split(from).length !== 2) throw new Error(`the script for ${shell} does not have once: ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/** What the library prints. */
function printed(print: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string) => lines.push(line);
  try {
    print();
  } finally {
    console.log = log;
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

/** A file to be written, or a line to be added to one. */
export interface Change {
  path: string;
  text: string;
  /** `replaced` is what stands there now, and is not vagent's. */
  kind: 'written' | 'replaced' | 'line added';
}

/** The shell of the person, as the system names it. Throws UsageError if it cannot be completed for. */
export function ownShell(env: Environment): Shell {
  const name = (env.SHELL ?? '').split('/').at(-1);
  const shell = SHELLS.find((known) => known === name || (known === 'powershell' && name === 'pwsh'));
  if (shell !== undefined) return shell;
  throw new UsageError('Which shell is to complete?', {
    hint: `Name it: vagent completion install <${SHELLS.join('|')}>`,
  });
}

/** What is missing for completion in a shell; nothing if it is installed already. Throws FileErrors. */
export function missingChanges(shell: Shell, script: string, env: Environment): Change[] {
  const { path, startup } = placesOf(shell, env);
  const changes: Change[] = [];
  const standing = textOf(path);
  if (standing !== script) {
    const isForeign = standing !== undefined && !standing.includes('completion for vagent');
    changes.push({ path, text: script, kind: isForeign ? 'replaced' : 'written' });
  }
  if (startup !== undefined && !(textOf(startup.path) ?? '').split(/\r?\n/).includes(startup.line)) {
    changes.push({ path: startup.path, text: startup.line, kind: 'line added' });
  }
  return changes;
}

/** Throws FileErrors. */
export function make({ path, text, kind }: Change): void {
  withFileErrors('write', path, () => {
    mkdirSync(dirname(path), { recursive: true });
    if (kind !== 'line added') return writeFileSync(path, text);
    const before = textOf(path) ?? '';
    const lineBreak = before === '' || before.endsWith('\n') ? '' : '\n';
    appendFileSync(path, `${lineBreak}\n# Completion of vagent's commands with Tab\n${text}\n`);
  });
}

interface Places {
  /** Of the script. */
  path: string;
  /** The line of the shell's startup file that loads it, unless the shell finds it by itself. */
  startup?: { path: string; line: string };
}

function placesOf(shell: Shell, env: Environment): Places {
  const home = homeFolder(env);
  switch (shell) {
    case 'bash': {
      const path = join(dataHome(env), 'bash-completion', 'completions', 'vagent');
      // A package of that name loads what is there; without it, bash has no place of its own.
      if (LOADERS.some((loader) => existsSync(loader))) return { path };
      const startup = process.platform === 'darwin' ? '.bash_profile' : '.bashrc';
      return { path, startup: { path: join(home, startup), line: `source ${shellWord(path)}` } };
    }
    case 'zsh': {
      const path = join(dataHome(env), 'zsh', 'site-functions', '_vagent');
      const line = `(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }; source ${shellWord(path)}`;
      return { path, startup: { path: join(env.ZDOTDIR || home, '.zshrc'), line } };
    }
    case 'fish':
      return { path: join(configHome(env), 'fish', 'completions', 'vagent.fish') };
    case 'powershell': {
      const folder =
        process.platform === 'win32' ? join(home, 'Documents', 'PowerShell') : join(configHome(env), 'powershell');
      const path = join(folder, 'vagent-completion.ps1');
      const line = `. '${path.replaceAll("'", "''")}'`;
      return { path, startup: { path: join(folder, 'Microsoft.PowerShell_profile.ps1'), line } };
    }
  }
}

/** Where the package bash-completion is. */
const LOADERS = [
  '/usr/share/bash-completion/bash_completion',
  '/usr/local/share/bash-completion/bash_completion',
  '/opt/homebrew/etc/profile.d/bash_completion.sh',
  '/usr/local/etc/profile.d/bash_completion.sh',
];

function textOf(path: string): string | undefined {
  return withFileErrors('read', path, () => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}
