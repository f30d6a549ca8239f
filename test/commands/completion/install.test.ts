/** `vagent completion install` writes to files of the person's shell: only after a yes, and only once. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';
import { isInstalled, Shell } from '../../support/shell.ts';
import { playHere } from '../../support/terminal.ts';

const SCRIPTS = {
  bash: '.local/share/bash-completion/completions/vagent',
  zsh: '.local/share/zsh/site-functions/_vagent',
  fish: '.config/fish/completions/vagent.fish',
  powershell: '.config/powershell/vagent-completion.ps1',
};
const INSTALL = ['completion', 'install'];

/** Without a package bash-completion, bash needs a line in its startup file, as here for zsh. */
describe.concurrent('install', () => {
  test.each(Object.entries(SCRIPTS))('%s: a second time, nothing changes', async (shell, path) => {
    const operator = new Operator();
    const first = await operator.run([...INSTALL, shell, '--yes']);
    expect({ code: first.code, stderr: first.stderr }).toEqual({
      code: 0,
      stderr: `Completion for ${shell} is installed: open a new terminal to use it.\n`,
    });
    const { stdout: script } = await operator.run(['completion', shell]);
    expect(script).toMatch(new RegExp(`vagent complete ${shell} '?--'? `));
    expect(readFileSync(join(operator.home, path), 'utf8')).toBe(script);
    const before = filesOf(operator.home);
    const second = await operator.run([...INSTALL, shell]);
    expect(second).toMatchObject({ code: 0, stdout: '', stderr: `Completion for ${shell} is installed already.\n` });
    expect(filesOf(operator.home)).toEqual(before);
  });

  test('the startup file keeps what it had, and gets one line', async () => {
    const operator = new Operator();
    const startup = join(operator.home, '.zshrc');
    writeFileSync(startup, 'export EDITOR=vi');
    for (let times = 0; times < 2; times++) await operator.run([...INSTALL, 'zsh', '--yes']);
    const lines = readFileSync(startup, 'utf8').split('\n');
    expect(lines[0]).toBe('export EDITOR=vi');
    expect(lines.filter((line) => line.includes('_vagent'))).toHaveLength(1);
  });

  test('a startup file that is a link stays one', async () => {
    const operator = new Operator({ env: { ZDOTDIR: '' } });
    writeFileSync(join(operator.home, 'dotfile'), '');
    symlinkSync('dotfile', join(operator.home, '.zshrc'));
    await operator.run([...INSTALL, 'zsh', '--yes']);
    expect(readFileSync(join(operator.home, 'dotfile'), 'utf8')).toContain('_vagent');
  });

  test('the folders that the environment names are used', async () => {
    const operator = new Operator();
    const env = { XDG_DATA_HOME: join(operator.home, 'data'), ZDOTDIR: join(operator.home, 'z'), SHELL: '/bin/zsh' };
    expect((await operator.run([...INSTALL, '--yes'], { env })).code).toBe(0);
    expect(existsSync(join(operator.home, 'data/zsh/site-functions/_vagent'))).toBe(true);
    expect(existsSync(join(operator.home, 'z/.zshrc'))).toBe(true);
  });

  test('at a terminal it says what is written, and a no changes nothing', async () => {
    const operator = new Operator();
    const steps = [/To .*\.zshrc\s+this\s+line\s+is\s+added:\n.*_vagent/, /Install completion for zsh\?/, 'n\r'];
    const { code } = await playHere(operator, [...INSTALL, 'zsh'], steps);
    expect(code).toBe(130);
    expect(filesOf(operator.home)).toEqual({});
  });

  test('at a terminal a yes installs it; a file that is not of vagent is named', async () => {
    const operator = new Operator();
    const path = join(operator.home, SCRIPTS.fish);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '# mine\n');
    const steps = [/vagent\.fish\s+is\s+replaced/, /Install completion for fish\?/, 'y\r'];
    const { code } = await playHere(operator, [...INSTALL, 'fish'], steps);
    expect(code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('fish completion for vagent');
  });

  test('without a shell that is known, it asks for its name', async () => {
    const operator = new Operator();
    for (const SHELL of ['', '/bin/tcsh']) {
      const { code, stderr } = await operator.run([...INSTALL, '--yes'], { env: { SHELL } });
      expect(code).toBe(2);
      expect(stderr).toContain('vagent completion install <bash|zsh|fish|powershell>');
    }
  });
});

/** Where the package bash-completion is, bash needs no line in its startup file, but this one would not load the package. */
const hasPackage = existsSync('/usr/share/bash-completion/bash_completion');
const NEW_TERMINALS = [
  { name: 'bash', args: ['-i'], isMissing: hasPackage || !isInstalled('bash') },
  { name: 'zsh', args: ['-i'], isMissing: !isInstalled('zsh') },
  { name: 'fish', args: ['-i', '-C', "function fish_prompt; echo -n '> '; end"], isMissing: !isInstalled('fish') },
];
for (const { name, args, isMissing } of NEW_TERMINALS) {
  test.skipIf(isMissing)(`${name} completes after it, in a new terminal`, async () => {
    const operator = new Operator();
    writeFileSync(join(operator.home, `.${name}rc`), "PS1='> '\n");
    await operator.run([...INSTALL, name, '--yes']);
    const shell = new Shell(operator, [name, ...args]);
    try {
      await shell.shows(/^> *$/m);
      shell.type('vagent logs exp\t');
      await shell.shows(/> vagent logs export\b/);
    } finally {
      shell.close();
    }
  });
}

test('the script for PowerShell: no quote in the line ends a text, and the block is registered', async () => {
  const { stdout } = await new Operator().run(['completion', 'powershell']);
  expect(stdout).toContain(`"'" + ($_ -replace "['\\u2018-\\u201b]", '$0$0') + "'"`);
  expect(stdout).toContain(`Register-ArgumentCompleter -CommandName 'vagent'`);
  const braces = [...stdout.replace(/^\s*#.*$/gm, '').replace(/'\\s\|.*$/gm, '')];
  const count = (brace: string) => braces.filter((char) => char === brace).length;
  expect(count('{')).toBe(count('}'));
});

/** Every file below a folder, with its text. */
function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((path) => [path, readFileSync(path, 'utf8')]));
}
