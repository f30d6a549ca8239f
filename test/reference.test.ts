/** The manual page and the reference of the commands are what the program says now. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documents, MAN_PAGE, REFERENCE } from '../bin/docs/documents.mts';
import packageJson from '../package.json' with { type: 'json' };
import { commandSummaries } from '../src/program.ts';
import { ROOT } from './support/program.ts';
import { isInstalled } from './support/shell.ts';

let written: Record<string, string>;
beforeAll(async () => {
  // If the page has changed, its date differs too, whatever day this is.
  written = await documents('0000-00-00');
});

test.each([MAN_PAGE, REFERENCE])('%s is written from the program: if this fails, npm run docs', (path) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(written[path]);
});

test('both have every command, and the contents of the reference lead to its headings', () => {
  const text = written[REFERENCE] ?? '';
  for (const command of commandSummaries().keys()) {
    expect(text).toContain(`\n## vagent ${command}\n`);
    expect(written[MAN_PAGE]).toContain(`\n.SS "vagent ${command.replaceAll('-', '\\-')}"\n`);
  }
  const anchors = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => `#${heading.replaceAll(' ', '-')}`);
  expect([...text.matchAll(/\]\((#[^)]*)\)/g)].map(([, link]) => link)).toEqual(anchors);
});

describe('the manual page', () => {
  test('is installed with the program', () => {
    expect(packageJson.man).toBe(MAN_PAGE);
    expect(packageJson.files).toContain(MAN_PAGE);
  });

  test('has no line that roff takes for a request but those that are meant', () => {
    const requests = (written[MAN_PAGE] ?? '').split('\n').filter((line) => /^[.']/.test(line));
    const known = /^\.(\\"|TH|SH|SS|PP|TP|B|I|RI|RS|RE|nf|fi)( |$)/;
    expect(requests.filter((line) => !known.test(line))).toEqual([]);
  });

  test.skipIf(!isInstalled('mandoc'))('is correct, says mandoc', () => {
    const { status, stdout } = spawnSync('mandoc', ['-T', 'lint', join(ROOT, MAN_PAGE)], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  test.skipIf(!isInstalled('mandoc'))('shows dashes and examples as they are typed', () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'utf8', '-O', 'width=200', join(ROOT, MAN_PAGE)], {
      encoding: 'utf8',
    });
    // Bold is a letter struck twice.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how mandoc writes it
    const text = stdout.replace(/.\u0008/g, '');
    expect(text).toContain('vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello, this is Ava."');
    expect(text).toContain('--start-date <YYYY-MM-DD>');
  });
});
