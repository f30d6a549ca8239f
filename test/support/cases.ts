/**
 * Cases as data beside the test that plays them, in a file of its name that ends in `.cases`: below a line `# heading` each
 * line is a case as JSON, or a remark behind `//`. Null is undefined, and a text between slashes is a pattern.
 */
import { readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** `/text/s` */
export function pattern(text: string): RegExp {
  const [, source = text, flags] = /^\/(.*)\/([imsu]*)$/s.exec(text) ?? [];
  return new RegExp(source, flags);
}

/** What stands for `$NAME` in the data, such as the address of a server. */
type Names = Record<string, string>;

function readFilled(path: string, names: Names): string {
  return readFileSync(path, 'utf8').replace(/\$([A-Z]+)/g, (all, name: string) => names[name] ?? all);
}

/** A file of JSON, as it is meant. */
export function dataIn<T>(path: string, names: Names = {}): T {
  return meant(JSON.parse(readFilled(path, names))) as T;
}

function meant(value: unknown): unknown {
  if (value === null) return undefined;
  if (typeof value === 'string') return /^\/.+\/[imsu]*$/s.test(value) ? pattern(value) : value;
  if (Array.isArray(value)) return value.map(meant);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, meant(part)]));
}

/** The cases below a heading. What stands below a heading that the test does not ask for fails it. */
export function casesBeside(test: string, names: Names = {}): <Case>(heading: string) => Case[] {
  const sections = readFilled(test.replace(/\.test\.ts$/, '.cases'), names)
    .split(/^# /m)
    .slice(1);
  const tables = new Map(
    sections.map((section) => {
      const [heading = '', ...lines] = section.trimEnd().split('\n');
      return [heading, lines.filter((line) => /^(?!\/\/)./.test(line)).map((line) => meant(JSON.parse(line)))];
    }),
  );
  const left = new Set(tables.keys());
  afterAll(() => expect([...left]).toEqual([]));
  return (heading) => {
    left.delete(heading);
    const cases = tables.get(heading);
    if (cases === undefined) throw new Error(`there are no cases of: ${heading}`);
    return cases as never;
  };
}

/** The words of a line: `{NAME}` stands for several of them in `phrases`, and for one or a part of one in `texts`. */
export function wordsIn(line: string, phrases: Names, texts: Names): string[] {
  const filled = (text: string, values: Names) => text.replace(/\{([A-Z_]+)\}/g, (all, name) => values[name] ?? all);
  return filled(line, phrases)
    .split(' ')
    .map((word) => filled(word, texts));
}
