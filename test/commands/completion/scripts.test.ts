/** The scripts that `vagent completion` prints, as text. Real shells load them in shells.test.ts. */
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';

describe.concurrent('scripts', () => {
  const operator = new Operator();

  test.each(['bash', 'zsh', 'fish', 'powershell'])('%s: the program is asked by its name', async (shell) => {
    const { code, stdout, stderr } = await operator.run(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`vagent complete ${shell} '?--'? `));
    expect(stdout.endsWith('\n')).toBe(true);
  });

  test('PowerShell: no quote in the line ends a text, and the block is registered', async () => {
    const { stdout } = await operator.run(['completion', 'powershell']);
    expect(stdout).toContain(`"'" + ($_ -replace "['\\u2018-\\u201b]", '$0$0') + "'"`);
    expect(stdout).toContain(`Register-ArgumentCompleter -CommandName 'vagent'`);
    const braces = [...stdout.replace(/^\s*#.*$/gm, '').replace(/'\\s\|.*$/gm, '')];
    const count = (brace: string) => braces.filter((char) => char === brace).length;
    expect(count('{')).toBe(count('}'));
  });

  test('another word than a shell is refused, with those that are known', async () => {
    const { code, stderr } = await operator.run(['completion', 'csh']);
    expect(code).toBe(2);
    expect(stderr).toContain('bash, zsh, fish, powershell');
  });
});
