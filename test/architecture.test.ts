/** Imports point one way: who may see whom is a table, and a cycle is nobody's to make. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { commandSummaries } from '../src/program.ts';
import { ROOT } from './support/program.ts';

const SOURCE = join(ROOT, 'src');

/** The files that stand beside the folders. */
const SPINE = ['context', 'contract', 'errors', 'main', 'program', 'run'];

/**
 * What each part of the source may import besides itself, from the bottom up: a part sees only what stands above it in this
 * list. A part is a folder of `src`, or a file of the spine.
 */
const MAY_IMPORT: Record<string, string[]> = {
  errors: [],
  contract: ['errors'],
  // The ground
  text: ['contract', 'errors'],
  storage: ['errors'],
  engine: ['contract', 'errors', 'text'],
  local: ['contract', 'engine', 'errors', 'storage', 'text'],
  http: ['contract', 'errors', 'text'],
  // The library
  contacts: ['contract', 'errors', 'text'],
  calls: ['contract', 'errors', 'storage', 'text'],
  register: ['contract', 'errors', 'local', 'storage', 'text'],
  campaigns: ['calls', 'contract', 'engine', 'errors', 'register', 'text'],
  plans: ['calls', 'campaigns', 'contract', 'engine', 'errors', 'register', 'storage', 'text'],
  // The command line
  cli: ['contract', 'errors', 'storage', 'text'],
  settings: ['cli', 'contract', 'errors', 'storage', 'text'],
  context: ['cli', 'contract', 'http', 'local', 'plans', 'register', 'settings'],
  doctor: [...['contacts', 'context', 'contract', 'engine', 'errors', 'register', 'settings', 'storage', 'text']],
  commands: [
    ...['calls', 'campaigns', 'cli', 'contacts', 'context', 'contract', 'doctor', 'engine', 'errors', 'http'],
    ...['local', 'plans', 'register', 'settings', 'storage', 'text'],
  ],
  program: ['cli', 'commands', 'context'],
  run: ['cli', 'context', 'errors', 'program'],
  main: ['run'],
};

/** The same for the folders inside of a part; a file that stands in none of them is one of its own. */
const INSIDE: Record<string, Record<string, string[]>> = {
  local: {
    queues: [],
    transaction: ['queues'],
    store: ['transaction'],
    organizations: ['store'],
    copy: ['store', 'transaction'],
    json: ['copy', 'organizations', 'queues', 'store', 'transaction'],
    postgres: ['copy', 'organizations', 'queues', 'store', 'transaction'],
    timeline: ['store', 'transaction'],
    backend: ['timeline'],
    player: ['backend'],
    open: ['backend', 'json', 'organizations', 'postgres', 'store', 'timeline'],
  },
  plans: {
    rules: [],
    log: ['rules'],
    rows: ['log', 'rules'],
    before: ['rows', 'rules'],
    run: ['log', 'rows', 'rules'],
    rehearsal: ['log', 'rules'],
  },
};

/** These figures only fall, unless the tool can do more: then whoever raises one says what was taken away for it. */
const AT_MOST = {
  'lines of src/': 56_279,
  'files of src/': 417,
  'lines of src/commands/': 11_304,
  'lines of test/': 46_331,
  'columns of the widest line': 132,
  'lines of the median function': 7,
  'parts of src/': 20,
  'imports between parts': 90,
};

/** Only these may know a Backend by name; everything else is handed a Service. */
const MAY_CHOOSE_A_BACKEND = ['context.ts'];

/** What knows facts, and leaves the words for people to `cli/terminal/`. */
const CORE = ['text', 'storage', 'engine', 'local', 'http', 'contacts', 'calls', 'register', 'campaigns', 'plans'];

function sources(): string[] {
  return listFiles(SOURCE)
    .map((path) => relative(SOURCE, path))
    .filter((file) => file !== 'README.md');
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

interface Import {
  file: string;
  isType: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  const found = text.matchAll(/(import type\s[^;]*?from\s*|from\s*|import\(\s*)'(\.[^']+\.ts)'/g);
  return [...found].map(([, how = '', path = '']) => ({
    file: join(dirname(file), path),
    isType: how.startsWith('import type'),
  }));
}

function isOfJsonStore(file: string): boolean {
  return file.startsWith('local/json/');
}

function partOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, '');
}

describe('imports', () => {
  test.each(Object.entries(MAY_IMPORT))('%s imports only %j', (part, allowed) => {
    const files = sources().filter((file) => partOf(file) === part);
    expect(files).not.toEqual([]);
    const foreign = files.flatMap((file) =>
      importsOf(file)
        .filter((found) => partOf(found.file) !== part && !allowed.includes(partOf(found.file)))
        .map((found) => `${file} → ${found.file}`),
    );
    expect(foreign).toEqual([]);
  });

  test('every part has a row, and no file stands beside the folders but the spine', () => {
    const parts = [...new Set(sources().map(partOf))];
    expect(parts.toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
    const loose = sources().filter((file) => !file.includes('/'));
    expect(loose.toSorted()).toEqual(SPINE.map((name) => `${name}.ts`));
  });

  test('no row points down the list, and none allows what nobody imports', () => {
    const parts = Object.keys(MAY_IMPORT);
    for (const [at, part] of parts.entries()) {
      expect(parts.slice(0, at)).toEqual(expect.arrayContaining(MAY_IMPORT[part] ?? []));
      const used = sources()
        .filter((file) => partOf(file) === part)
        .flatMap((file) => importsOf(file).map((found) => partOf(found.file)));
      expect([...new Set(used)].filter((name) => name !== part).toSorted()).toEqual(MAY_IMPORT[part]?.toSorted());
    }
  });

  test.each(Object.entries(INSIDE))('inside of %s too, each folder imports only what stands above it', (part, rows) => {
    const folderOf = (file: string) => /^[^/]+\/([^/.]+)/.exec(file)?.[1] ?? '';
    const files = sources().filter((file) => partOf(file) === part);
    expect([...new Set(files.map(folderOf))].toSorted()).toEqual(Object.keys(rows).toSorted());
    for (const [at, [folder, allowed]] of Object.entries(rows).entries()) {
      expect(Object.keys(rows).slice(0, at)).toEqual(expect.arrayContaining(allowed));
      const used = files
        .filter((file) => folderOf(file) === folder)
        .flatMap((file) => importsOf(file).filter((found) => partOf(found.file) === part))
        .map((found) => folderOf(found.file));
      expect([folder, [...new Set(used)].filter((name) => name !== folder).toSorted()]).toEqual([folder, allowed]);
    }
  });

  test('only the composition root chooses a Backend', () => {
    const choosers = sources().filter((file) =>
      importsOf(file).some(
        ({ file: target, isType }) =>
          !isType &&
          ['http/client/client.ts', 'local/open.ts', 'local/backend.ts'].includes(target) &&
          partOf(file) !== 'local',
      ),
    );
    expect(choosers).toEqual(MAY_CHOOSE_A_BACKEND);
  });

  test('one file chooses a store, and nobody outside local/ knows the files of one', () => {
    const choosers = sources().filter((file) => importsOf(file).some(({ file: target }) => isOfJsonStore(target)));
    expect(choosers.filter((file) => !isOfJsonStore(file))).toEqual(['local/open.ts']);
    const offenders = sources()
      // An earlier version kept files of the same names of each plan.
      .filter((file) => file.endsWith('.ts') && !isOfJsonStore(file) && !/^(register|plans)\/before\//.test(file))
      .filter((file) =>
        /store\.json|(contacts|retries|(?<!\.)rows)\.jsonl/.test(readFileSync(join(SOURCE, file), 'utf8')),
      );
    expect(offenders).toEqual([]);
  });

  test('commands and the checks of doctor see the context as a type only', () => {
    const offenders = sources()
      .filter((file) => ['commands', 'doctor'].includes(partOf(file)))
      .filter((file) => importsOf(file).some((found) => found.file === 'context.ts' && !found.isType));
    expect(offenders).toEqual([]);
  });

  test('there is no cycle, of types neither', () => {
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const found of importsOf(file)) visit(found.file, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of sources()) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test('the packages that the project was given are used', () => {
    const text = sources()
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(SOURCE, file), 'utf8'))
      .join('\n');
    const given = ['commander', '@inquirer/prompts', 'undici', 'zod', 'csv-parse', 'cli-table3', 'ora', 'conf'];
    expect(given.filter((name) => !new RegExp(`(from |import\\()'${name}[/']`).test(text))).toEqual([]);
  });

  test('the engine is pure: no file system, no clock, no chance, no waiting', () => {
    const impure = /node:|Date\.now|new Date\(\)|Math\.random|\bawait\b|\basync\b|process\./;
    const offenders = sources()
      .filter((file) => partOf(file) === 'engine')
      .flatMap((file) => {
        const code = readFileSync(join(SOURCE, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
        return impure.test(code) ? [`${file}: ${impure.exec(code)?.[0]}`] : [];
      });
    expect(offenders).toEqual([]);
  });

  test('the core names no flag and no command', () => {
    const offenders = sources()
      .filter((file) => CORE.includes(partOf(file)))
      // The fixes of rows are part of a report; the page of statistics and the server's refusals are read by people.
      .filter((file) => !['contacts/problems.ts', 'calls/report/page.ts', 'http/server/gate.ts'].includes(file))
      .flatMap((file) => {
        const code = readFileSync(join(SOURCE, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
        // `--liftoff-only` is a flag of Node.js.
        const [words] = /['`][^'`\n]*(--(?!liftoff-only)[a-z]|(?<!this )\bvagent )/.exec(code) ?? [];
        return words === undefined ? [] : [`${file}: ${words}`];
      });
    expect(offenders).toEqual([]);
  });

  test('the clock, chance and the process are touched in few places', () => {
    const offenders = sources().filter((file) => {
      const code = readFileSync(join(SOURCE, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      return /Date\.now|Math\.random|process\.(exit|argv|env|stdin|stdout|stderr)/.test(code);
    });
    expect(offenders).toEqual(['run.ts']);
  });
});

test('the house is no larger than it was', () => {
  const inFolder = (folder: string) => typescriptIn(join(ROOT, folder));
  const [source, commands, tests] = ['src', 'src/commands', 'test'].map(inFolder) as [
    string[][],
    string[][],
    string[][],
  ];
  const count = (texts: string[][]) => texts.flat().length;
  const figures: typeof AT_MOST = {
    'lines of src/': count(source),
    'files of src/': source.length,
    'lines of src/commands/': count(commands),
    'lines of test/': count(tests),
    'columns of the widest line': Math.max(
      ...[...source, ...tests]
        .filter(isFree)
        .flat()
        .map(({ length }) => length),
    ),
    'lines of the median function': medianOf(source.flatMap((lines) => functionLengths(lines.join('\n')))),
    'parts of src/': Object.keys(MAY_IMPORT).length,
    'imports between parts': Object.values(MAY_IMPORT).flat().length,
  };
  const said = Object.entries(figures).map(([what, figure]) => `${figure} ${what}`);
  process.stdout.write(`${said.join(', ')}\n`);
  const grown = Object.entries(AT_MOST).filter(([what, most]) => figures[what as keyof typeof figures] > most);
  const advice = (what: string, most: number) =>
    `${figures[what as keyof typeof figures]} ${what}, and at most ${most} is allowed: take something away first`;
  expect(grown.map(([what, most]) => advice(what, most))).toEqual([]);
});

/** The lines of each file. */
function typescriptIn(folder: string): string[][] {
  return listFiles(folder)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(path, 'utf8').replace(/\n$/, '').split('\n'));
}

/** The tables of a store are not: what was migrated once stays to the letter. */
function isFree(lines: string[]): boolean {
  return !lines.some((line) => line.startsWith('export const MIGRATIONS'));
}

function medianOf(numbers: number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] as number;
}

/** The lines of each function and method of a module; arrow functions are parts of those. */
function functionLengths(code: string): number[] {
  const found: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, start, end } = node as { type?: string; start: number; end: number };
    if (type === 'FunctionDeclaration' || type === 'FunctionExpression') {
      found.push(code.slice(start, end).split('\n').length);
    }
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code, { lang: 'ts' }));
  return found;
}

describe('commands', () => {
  /** The table of all commands, which loads them. */
  const TREE = 'commands/tree.ts';

  /** `commands/logs/export.ts` and `commands/logs/export/…` → `logs export`; undefined for what commands share. */
  const commandOf = (file: string) => {
    if (!/^commands\/.*\.ts$/.test(file) || file === TREE) return undefined;
    const words = file
      .slice('commands/'.length)
      .replace(/\.\w+$/, '')
      .split('/');
    if (words.includes('shared')) return undefined;
    const known = [words.slice(0, 1), words.slice(0, 2)].find((path) => commandSummaries().has(path.join(' ')));
    return (known ?? words).join(' ');
  };

  test('a file under commands/ is a command of the tree, or of one, or shared', () => {
    const commands = sources().flatMap((file) => commandOf(file) ?? []);
    expect([...new Set(commands)].toSorted()).toEqual([...commandSummaries().keys()].toSorted());
  });

  test('what is shared serves at least two commands', () => {
    const files = sources().filter((file) => /^commands\/.*\.ts$/.test(file) && file !== TREE);
    const usersOf = (shared: string): (string | undefined)[] =>
      files
        .filter((file) => importsOf(file).some((found) => found.file === shared))
        .flatMap((file) => commandOf(file) ?? usersOf(file));
    const lonely = files.filter((file) => commandOf(file) === undefined && new Set(usersOf(file)).size < 2);
    expect(lonely).toEqual([]);
  });

  test('no command imports another, or what is its own', () => {
    const offenders = sources()
      .filter((file) => partOf(file) === 'commands' && file !== TREE)
      .flatMap((file) =>
        importsOf(file).flatMap(({ file: target }) => {
          const meant = commandOf(target);
          return meant === undefined || meant === commandOf(file) ? [] : [`${file} → ${target}`];
        }),
      );
    expect(offenders).toEqual([]);
  });
});
