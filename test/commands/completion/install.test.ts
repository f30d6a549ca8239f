/** `vagent completion install` writes to files of the person's shell: only after a yes, and only once. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';
import { isInstalled, Shell } from '../../support/shell.ts';
import { playHere } from '../../support/terminal.ts';

const INSTALL = ['completion', 'install'];

describe.concurrent('install', () => {
  test('at a terminal it says what is written, and a no changes nothing', async () => {
    const operator = new Operator();
    const steps = [/To .*\.zshrc\s+this\s+line\s+is\s+added:\n.*_vagent/, /Install completion for zsh\?/, 'n\r'];
    const { code } = await playHere(operator, [...INSTALL, 'zsh'], steps);
    expect(code).toBe(130);
    expect(readdirSync(operator.home)).toEqual([]);
  });

  test('at a terminal a yes installs it; a file that is not of vagent is named', async () => {
    const operator = new Operator();
    const path = join(operator.home, '.config/fish/completions/vagent.fish');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '# mine\n');
    const steps = [/vagent\.fish\s+is\s+replaced/, /Install completion for fish\?/, 'y\r'];
    const { code } = await playHere(operator, [...INSTALL, 'fish'], steps);
    expect(code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('fish completion for vagent');
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
