/**
 * How much of the source the tests hold: `--count 300 --seed 1`. As many places of it, chosen at random, are changed one after
 * the other, and the test files that come by a place are run until one fails. `--at <commit>` looks at a commit; `--out m.json`
 * keeps what was chosen and what came of it; `--again m.json` changes the same lines where they are still to be found, in
 * whatever file; `--in src/text` changes places of that folder alone, and `--tests 'test/text/*'` plays those tests alone. Both
 * may be given several times. Of the test files that come by a place at most `--tries` are played: those of its own part first,
 * then the shortest.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAst } from 'rolldown/parseAst';
import { ROOT } from '../support/program.ts';

const { values } = parseArgs({
  options: {
    ...{ count: { type: 'string' }, seed: { type: 'string' }, at: { type: 'string' } },
    ...{ out: { type: 'string' }, again: { type: 'string' }, tries: { type: 'string', default: '12' } },
    in: { type: 'string', multiple: true, default: ['src'] },
    tests: { type: 'string', multiple: true, default: ['test/*.test.ts'] },
  },
});

/** A place that can be changed. `from` and `to` are offsets in the file, `column` in the line without its indentation. */
interface Site {
  file: string;
  from: number;
  to: number;
  text: string;
  change: string;
  /** Code in its place, which chooses between the two. */
  chosen: (isOn: string, text: string) => string;
  line: string;
  column: number;
  /** The test file that noticed the same change before: it is played first. */
  knownBy?: string | undefined;
}

type Result = Pick<Site, 'file' | 'line' | 'column' | 'change'> & { noticedBy: string | undefined; tried: number };

const say = (text: string) => process.stdout.write(`${text}\n`);
const FOLDER = mkdtempSync(join(tmpdir(), 'vagent-mutants-'));
const TREE = join(FOLDER, 'tree');
const ACTIVE = join(FOLDER, 'active');
const SEEN = join(FOLDER, 'seen');
/** Nothing is changed; and which places are come by is noted as well. */
const NONE = '-2';
const NOTED = -1;
/** Seconds, and times as long as it takes without a change: a change may make a test wait for what never comes. */
const PATIENCE = 240;
const TIMES_PATIENT = 6;

const OPPOSITE: Record<string, string> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '+': '-', '-': '+', '*': '/' },
  ...{ '/': '*', '%': '*', '&&': '||', '||': '&&' },
};

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** What stands only in the types, and what has no value of its own. */
const PASSED_OVER = ['typeAnnotation', 'typeParameters', 'typeArguments', 'returnType', 'key', 'source', 'attributes'];

function* nodesIn(node: Node): Generator<Node> {
  yield node;
  const wrapper = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(node.type);
  if (node.type.startsWith('TS') && !wrapper) return;
  for (const [name, value] of Object.entries(node)) {
    if (PASSED_OVER.includes(name)) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object' && each !== null && typeof each.type === 'string') yield* nodesIn(each as Node);
    }
  }
}

/** The changes that can be made at a node: its part, what it becomes in words, and the code. */
function changesOf(node: Node, source: string): [Node, string, (text: string) => string][] {
  const { left, right, operator, test, argument, value, expression } = node as Record<string, Node> & Node;
  const code = (part: unknown) => source.slice((part as Node).start, (part as Node).end);
  const other = OPPOSITE[String(operator)];
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
    if (String(operator) === '??') return [[node, '?? → right', () => code(right)]];
    return other === undefined ? [] : [[node, `${operator} → ${other}`, () => `${code(left)} ${other} ${code(right)}`]];
  }
  if (node.type === 'UnaryExpression' && String(operator) === '!') return [[node, '! gone', () => code(argument)]];
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
    return [[test as Node, 'condition turned', (text) => `!(${text})`]];
  if (node.type === 'Literal' && typeof value === 'boolean') return [[node, `${value} → ${!value}`, () => `${!value}`]];
  if (node.type === 'Literal' && typeof value === 'number') return [[node, `${value} + 1`, (text) => `${text} + 1`]];
  const called = expression?.type === 'AwaitExpression' ? (expression.argument as Node) : expression;
  if (node.type === 'ExpressionStatement' && called?.type === 'CallExpression')
    return [[expression as Node, 'not called', () => 'undefined']];
  return [];
}

function sitesOf(file: string): Site[] {
  const source = readFileSync(join(TREE, file), 'utf8');
  const sites: Site[] = [];
  for (const node of nodesIn(parseAst(source, { lang: 'ts' }) as unknown as Node)) {
    for (const [{ start, end }, change, changed] of changesOf(node, source)) {
      const text = source.slice(start, end);
      const begin = source.lastIndexOf('\n', start) + 1;
      const line = source.slice(begin, source.indexOf('\n', start));
      const column = start - begin - (line.length - line.trimStart().length);
      const chosen = (isOn: string, now: string) => `(${isOn} ? (${changed(now)}) : (${now}))`;
      sites.push({ ...{ file, from: start, to: end, text, change, chosen }, line: line.trim(), column });
    }
  }
  return sites;
}

/** From 0 up to but not including 1, the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return (Math.imul(state ^ (state >>> 12), 0x297a2d39) >>> 0) / 2 ** 32;
  };
}

const overlaps = (one: Site, other: Site) => one.file === other.file && one.from < other.to && other.from < one.to;

function chooseAnew(sites: Site[], count: number, seed: number): Site[] {
  const next = chance(seed);
  const chosen: Site[] = [];
  while (chosen.length < count) {
    const site = sites[Math.floor(next() * sites.length)] as Site;
    if (!chosen.some((known) => overlaps(known, site))) chosen.push(site);
  }
  return chosen;
}

/** The same lines as before; a line that stands in several files is taken in the one of the same name, or nowhere. */
function chooseAgain(sites: Site[], before: Result[]): Site[] {
  const found = before.flatMap((wanted) => {
    const same = sites.filter(
      ({ line, change, column }) => line === wanted.line && change === wanted.change && column === wanted.column,
    );
    const named = same.filter(({ file }) => basename(file) === basename(wanted.file));
    const [site] = named.length > 0 ? named : same;
    return site !== undefined && (named.length > 0 || same.length === 1)
      ? [{ ...site, knownBy: wanted.noticedBy }]
      : [];
  });
  return found.filter((site, at) => !found.slice(0, at).some((earlier) => overlaps(earlier, site)));
}

/** Every change stands in the source at once; a file says which one of them holds, if any. */
function write(chosen: readonly Site[]): void {
  const module = join(TREE, 'src', 'mutant.ts');
  writeFileSync(
    module,
    `import { appendFileSync, readFileSync } from 'node:fs';
const active = Number(readFileSync(${JSON.stringify(ACTIVE)}, 'utf8'));
const seen = new Set<number>();
export function isOn(id: number): boolean {
  if (active === ${NOTED} && !seen.has(id)) { seen.add(id); appendFileSync(${JSON.stringify(SEEN)}, \`\${id}\\n\`); }
  return id === active;
}
`,
  );
  for (const file of new Set(chosen.map((site) => site.file))) {
    const path = join(TREE, file);
    let text = readFileSync(path, 'utf8');
    const here = chosen.map((site, id) => ({ ...site, id })).filter((site) => site.file === file);
    for (const { id, from, to, chosen: code } of here.toSorted((one, other) => other.from - one.from)) {
      text = text.slice(0, from) + code(`isMutantOn(${id})`, text.slice(from, to)) + text.slice(to);
    }
    const way = relative(dirname(path), module);
    writeFileSync(path, `import { isOn as isMutantOn } from '${way.startsWith('.') ? way : `./${way}`}';\n${text}`);
  }
}

/** Whether the test file passes, and how long it took. */
function play(file: string, active: number, patience = PATIENCE): { passes: boolean; seconds: number } {
  writeFileSync(ACTIVE, String(active));
  const began = performance.now();
  const words = [
    'node',
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.ts',
    '--reporter=dot',
    '--bail=1',
    file,
  ];
  // It ends the processes of the test, too: one that never waits would take a core for ever.
  const { status } = spawnSync('timeout', ['-s', 'KILL', String(patience), ...words], { cwd: TREE, stdio: 'ignore' });
  return { passes: status === 0, seconds: (performance.now() - began) / 1000 };
}

function listed(patterns: readonly string[]): string[] {
  return execFileSync('git', ['ls-files', ...patterns], { cwd: TREE, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

try {
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', TREE, values.at ?? 'HEAD'], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(TREE, 'node_modules'));
  const sites = listed(values.in)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .flatMap(sitesOf);
  const [count, seed] = [Number(values.count ?? 300), Number(values.seed ?? 1)];
  const before = values.again && (JSON.parse(readFileSync(values.again, 'utf8')) as Result[]);
  const chosen = before ? chooseAgain(sites, before) : chooseAnew(sites, count, seed);
  const of = before ? `of ${before.length} chosen before` : `seed ${seed}`;
  say(`${chosen.length} places of ${sites.length}, ${of}`);
  const keep = (results: readonly Result[]) =>
    values.out === undefined || writeFileSync(values.out, JSON.stringify(results, undefined, 1));
  // Already now, so that another commit can be looked at beside this one.
  keep(
    chosen.map(({ file, line, column, change }) => ({ file, line, column, change, noticedBy: undefined, tried: 0 })),
  );
  write(chosen);
  // The build runs what it has made.
  writeFileSync(ACTIVE, NONE);
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: TREE, stdio: ['ignore', 'ignore', 'inherit'] });

  const comers = chosen.map((): { file: string; seconds: number }[] => []);
  for (const file of listed(values.tests).filter((path) => path.endsWith('.test.ts'))) {
    writeFileSync(SEEN, '');
    const { passes, seconds } = play(file, NOTED);
    if (!passes) {
      say(`left out, because it fails over the source that can be changed: ${file}`);
      continue;
    }
    const ids = new Set(readFileSync(SEEN, 'utf8').split('\n').filter(Boolean).map(Number));
    for (const id of ids) comers[id]?.push({ file, seconds });
  }

  const results: Result[] = [];
  for (const [id, { file, line, column, change, knownBy }] of chosen.entries()) {
    const part = `test/${file.split('/')[1]}/`;
    const rank = (comer: { file: string; seconds: number }) =>
      comer.file === knownBy ? -1 : comer.seconds + (comer.file.startsWith(part) ? 0 : PATIENCE);
    const all = (comers[id] ?? []).toSorted((one, other) => rank(one) - rank(other));
    const files = all.slice(0, Number(values.tries));
    const patience = (seconds: number) => Math.min(PATIENCE, 10 + TIMES_PATIENT * seconds);
    const noticedBy = files.find((comer) => !play(comer.file, id, patience(comer.seconds)).passes)?.file;
    results.push({ file, line, column, change, noticedBy, tried: files.length });
    const played = `${files.length} played of ${all.length} files that come by`;
    if (noticedBy === undefined) say(`survives (${played}): ${file}: ${line}   [${change}]`);
    keep(results);
  }
  const noticed = results.filter((result) => result.noticedBy !== undefined).length;
  say(`${noticed} of ${results.length} noticed, ${((100 * noticed) / results.length).toFixed(1)} %`);
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', TREE], { cwd: ROOT });
  rmSync(FOLDER, { recursive: true, force: true });
}
