/** How help looks: it fits the terminal, loses nothing where that is narrow, and its command lines stay what they are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exampleIn } from '../../../src/cli/flags/help-layout.ts';
import { TOPICS } from '../../../src/commands/shared/topics.ts';
import { commandSummaries } from '../../../src/program.ts';
import { casesBeside } from '../../support/cases.ts';
import { BIN, Operator, ROOT } from '../../support/program.ts';
import { play } from '../../support/terminal.ts';

const cases = casesBeside(import.meta.filename);

const COMMANDS = [...commandSummaries().keys()];
const operator = new Operator();

async function help(words: readonly string[], columns: number): Promise<string> {
  const { code, stdout, stderr } = await operator.run([...words, '--help'], { columns, isTerminal: true });
  expect(code, stderr).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
  return stdout.replace(/\u001b\[\d+m/g, '');
}

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

describe.concurrent('the overview', () => {
  test('fits 24 lines of 80 characters, with the prompt below it', async () => {
    const text = await help([], 80);
    expect(text.split('\n').length).toBeLessThanOrEqual(24);
    expect(widest(text)).toBeLessThanOrEqual(80);
  });

  test('is never wider than the terminal, down to 40 characters', async () => {
    for (const columns of [40, 60, 75, 76, 120, 200])
      expect(widest(await help([], columns))).toBeLessThanOrEqual(columns);
  });

  test('names every command at every width', async () => {
    const names = new Set(COMMANDS.map((path) => path.split(' ')[0] ?? ''));
    for (const columns of [40, 80]) {
      const text = await help([], columns);
      for (const name of names) expect(text).toMatch(new RegExp(`(^|  )${name}( |$)`, 'm'));
    }
  });

  test('is kept beside the program, word for word', async () => {
    expect(readFileSync(join(ROOT, 'dist/overview.txt'), 'utf8')).toBe((await operator.run(['--help'])).stdout);
  });
});

describe.concurrent('the help of each command', () => {
  test.each(COMMANDS)('%s', async (path) => {
    const words = path.split(' ');
    const wide = await help(words, 200);
    for (const columns of [120, 80, 60]) expect(widest(await help(words, columns))).toBeLessThanOrEqual(columns);
    const narrow = await help(words, 40);
    for (const line of narrow.split('\n').filter((line) => line.length > 40)) {
      // A single word that is longer than the line: it is shown whole.
      expect(line.trim().replace(/ \\$/, '')).toMatch(/^(\$ vagent )?(-\w, )?\S+$|['"<]/);
    }
    const plain = (text: string) => text.replace(/ \\\n/g, ' ').replace(/\s+/g, ' ');
    for (const columns of [80, 40]) expect(plain(await help(words, columns))).toBe(plain(wide));

    const usage = `[A-Z].*\\.\\n\\nUsage: vagent ${path} \\[flags\\] ?(.*)\\n`;
    const [, takes] = new RegExp(`^${usage}`).exec(wide) ?? [];
    // What the command tree says of the arguments is what the command says of itself.
    const names = [...(takes?.matchAll(/[<[]([\w=]+)/g) ?? [])].map(([, name]) => name);
    const [, listed = ''] = /^Arguments:\n((?: .*\n)*)/m.exec(wide) ?? [];
    expect([...listed.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)).toEqual(names);
    // The meanings of flags begin in one column, also where they go on.
    for (const columns of [80, 60]) {
      const [, list = ''] = /\n(?:Arguments|Flags):\n((?: .*\n)*)/.exec(await help(words, columns)) ?? [];
      const begins = [...list.matchAll(/^(?: {2}\S.*? {2,}| {3,})(?=\S)/gm)].map(([head]) => head.length);
      expect(new Set(begins).size, list).toBe(1);
    }
    expect(wide).toContain(`\nExamples:\n  $ vagent ${path}`);
    expect(wide).toMatch(/^Exit codes: 0 done; /m);
    expect(wide).toContain('Flags of every command: vagent help flags');
  });

  test.each(cases<[string, string]>('operations'))('%s names its operation, %s', async (path, operation) => {
    expect(await help(path.split(' '), 80)).toContain(`\nOperation: ${operation}\n`);
  });
});

test('every help and topic fits a real terminal of 60 columns, with nothing cut and no mark of Markdown', async () => {
  const asked = [...COMMANDS.map((path) => `${path} --help`), ...Object.keys(TOPICS).map((topic) => `help ${topic}`)];
  const script = asked
    .map((words) => `echo "== ${words}"; '${process.execPath}' '${BIN}' ${words} --no-pager`)
    .join('; ');
  const { output } = await play(new Operator(), [], [], { columns: 60, script, env: { NO_COLOR: '1' } });
  const shown = output.replaceAll('\r', '').split(/^== /m).slice(1);
  expect(shown.map((text) => text.split('\n', 1)[0])).toEqual(asked);
  for (const [at, text] of shown.entries()) {
    expect(text.split('\n').filter((line) => line.length > 60 || line.includes('`'))).toEqual([]);
    const { stdout } = await operator.run((asked[at] ?? '').split(' '), { columns: 1000 });
    const narrow = signsOf(text);
    // The name of the first column goes where a table becomes a list.
    const lost = [...signsOf(stdout.replace(/^subject/m, ''))].filter(
      ([sign, count]) => count > (narrow.get(sign) ?? 0),
    );
    expect(lost, asked[at]).toEqual([]);
  }
}, 120_000);

/** How often each sign is there, without what continues a command. */
function signsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const sign of text.replace(/\\\n(?: {2}> )?|\s/g, '')) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return counts;
}

describe('a command line that is too long is continued between its words', () => {
  test.each(cases<[string, number, string[]]>('continued'))('%s in %d', (line, width, lines) => {
    expect(exampleIn(width)(line)).toEqual(lines);
  });
});
