/** Imports point one way: who may see whom is a table, and a cycle is nobody's to make. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './support/program.ts';

const SOURCE = join(ROOT, 'src');

/** What a part of the source may import besides itself. A name is a folder or a file at the top of `src`. */
const MAY_IMPORT: Record<string, string[]> = {
  errors: [],
  redact: [],
  help: [],
  csv: [],
  contract: ['errors'],
  files: ['errors'],
  shell: [],
  'agent-pages': ['contract', 'csv'],
  lock: ['errors', 'files'],
  engine: ['contract', 'errors'],
  local: ['contract', 'errors', 'files', 'lock', 'engine'],
  remote: ['contract', 'errors'],
  server: ['contract', 'errors'],
  contacts: ['contract', 'errors', 'csv'],
  calls: ['contract', 'errors', 'csv', 'files', 'redact'],
  report: ['calls'],
  register: ['contract', 'errors', 'files', 'lock', 'redact'],
};

/** Only these may know a Backend by name; everything else is handed a Service. */
const MAY_CHOOSE_A_BACKEND = ['context.ts'];

function sources(): string[] {
  return listFiles(SOURCE).map((path) => relative(SOURCE, path));
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

  test('only the composition root chooses a Backend', () => {
    const choosers = sources().filter((file) =>
      importsOf(file).some(
        ({ file: target, isType }) =>
          !isType &&
          ['remote/client.ts', 'local/open.ts', 'local/backend.ts'].includes(target) &&
          partOf(file) !== 'local',
      ),
    );
    expect(choosers).toEqual(MAY_CHOOSE_A_BACKEND);
  });

  test('commands and the checks of doctor see the context as a type only', () => {
    const offenders = sources()
      .filter((file) => ['commands', 'doctor'].includes(partOf(file)))
      .filter((file) => importsOf(file).some((found) => found.file === 'context.ts' && !found.isType));
    expect(offenders).toEqual([]);
  });

  test('there is no cycle', () => {
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const found of importsOf(file)) if (!found.isType) visit(found.file, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of sources()) visit(file, []);
    expect(cycles).toEqual([]);
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

  test('the clock, chance and the process are touched in few places', () => {
    const offenders = sources().filter((file) => {
      const code = readFileSync(join(SOURCE, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      return /Date\.now|Math\.random|process\.(exit|argv|env|stdin|stdout|stderr)/.test(code);
    });
    expect(offenders).toEqual(['run.ts']);
  });
});
