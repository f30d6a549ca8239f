/**
 * Bundles src/ into dist/. CommonJS, because it starts faster than ES modules. Whitespace is removed and local names are short,
 * because less text is faster to compile; functions and classes keep their names, so that stack traces stay readable. What is
 * loaded together is one file: opening forty small ones takes longer than running them.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { build } from 'rolldown';

/** The output files. `root`: this module and everything it imports that is not in an earlier file. */
const TOGETHER = [
  { name: 'core', root: 'src/run.ts' },
  // Small modules that several commands import. Folders that import large libraries are left out, or those would come along.
  { name: 'shared', test: /[/\\]src[/\\](files|flags|terminal|text)[/\\]/, minShareCount: 3 },
  { name: 'paging', test: /[/\\]src[/\\]paging[/\\]/, minShareCount: 3 },
  { name: 'local', root: 'src/local/open.ts' },
  { name: 'remote', root: 'src/remote/client.ts' },
];

/** Replaces modules that libraries load at each start and vagent never uses. */
const notLoaded = resolve('src/remote/not-loaded.ts');

/** What cli-table3 loads in place of string-width, which is a function and no module with names. */
const CELL_WIDTH = resolve('src/text/width-of-cells.cjs');
const WIDTH = resolve('src/text/width.ts');

/** Our own modules that `root` imports. The bundler adds what they need of libraries. */
function ownImportedBy(root, context) {
  const found = new Set();
  const visit = (id) => {
    if (found.has(id) || /[/\\]node_modules[/\\]/.test(id)) return;
    found.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) visit(imported);
  };
  visit(resolve(root));
  return found;
}

function group({ name, root, ...rest }, at) {
  const common = { ...rest, priority: TOGETHER.length - at };
  if (root === undefined) return { ...common, name };
  let modules;
  return {
    ...common,
    debugName: name,
    name(id, context) {
      modules ??= ownImportedBy(root, context);
      return modules.has(id) ? name : null;
    },
  };
}

await build({
  input: 'src/main.ts',
  platform: 'node',
  transform: { target: 'node20' },
  resolve: { alias: { 'node:http2': notLoaded, 'node:diagnostics_channel': notLoaded } },
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: true },
    codeSplitting: { groups: TOGETHER.map(group) },
  },
  plugins: [
    {
      // Commander loads it at each start for commands that are separate programs; vagent has none.
      name: 'no-programs',
      resolveId: (id, importer) =>
        id === 'node:child_process' && /[/\\]commander[/\\]/.test(importer ?? '') ? notLoaded : undefined,
    },
    {
      // It measures each cell of a table several times. Ours is ten times as fast, and the widths of the columns are its own.
      name: 'width-of-cells',
      resolveId: (id, importer) =>
        id === 'string-width' && /[/\\]cli-table3[/\\]/.test(importer ?? '') ? CELL_WIDTH : undefined,
      load: (id) => (id === CELL_WIDTH ? `module.exports = require(${JSON.stringify(WIDTH)}).widthOf` : undefined),
    },
    {
      name: 'texts',
      writeBundle() {
        cpSync('src/commands/shared/topics', 'dist/topics', { recursive: true });
        cpSync('src/commands/shared/completion/vagent.bash', 'dist/vagent.bash');
      },
    },
  ],
});

// What `vagent` alone prints is kept beside it, so that nothing has to be loaded for it.
const { main } = createRequire(import.meta.url)('../dist/main.cjs');
const stdout = new PassThrough();
const streams = { stdin: Readable.from([]), stdout, stderr: process.stderr };
const code = await main({ argv: ['--help'], env: {}, streams, signal: new AbortController().signal });
if (code !== 0) throw new Error(`vagent --help: ${code}`);
writeFileSync('dist/overview.txt', stdout.read());
