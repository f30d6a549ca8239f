/** Puts a completion script where its shell finds it. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode, UsageError } from '../../errors.ts';
import { configHome, dataHome, type Environment, homeFolder } from '../../settings/folders.ts';
import { withFileErrors } from '../../storage/files/file-system.ts';
import { shellWord } from '../../text/shell.ts';
import { SHELLS, type Shell } from './words.ts';

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
