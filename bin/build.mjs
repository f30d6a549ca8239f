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
  { name: 'shared', test: /[/\\]src[/\\](storage[/\\]files|cli|text)[/\\]/, minShareCount: 3 },
  { name: 'paging', test: /[/\\]src[/\\]calls[/\\]paging[/\\]/, minShareCount: 3 },
  { name: 'local', root: 'src/local/open.ts' },
  { name: 'remote', root: 'src/http/client/client.ts' },
];

/** Modules that libraries load at each start and vagent never uses: HTTP/2, and what would print every URL, with the key, under NODE_DEBUG=undici. */
const NOT_LOADED = `
  exports.constants = {};
  exports.Http2ServerRequest = class Http2ServerRequest {};
  exports.channel = () => ({ hasSubscribers: false });
  exports.subscribe = () => {};
`;

/** The parts of undici that requests need, by the names of its public interface: all of it takes three times as long to load. */
const UNDICI = `
  exports.Pool = require('undici/lib/dispatcher/pool.js');
  exports.buildConnector = require('undici/lib/core/connect.js');
`;
/** What the way through a proxy needs besides; it is imported only then. */
const UNDICI_PROXY = `
  require('undici/lib/dispatcher/dispatcher.js').prototype.connect = require('undici/lib/api/api-connect.js');
  exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js');
`;

/** What is loaded in place of a module, by its name. */
const INSTEAD = {
  'node:http2': NOT_LOADED,
  'node:diagnostics_channel': NOT_LOADED,
  undici: UNDICI,
  'undici-proxy': UNDICI_PROXY,
};

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
      name: 'instead',
      resolveId: (id, importer, { kind }) => {
        if (id === 'undici' && kind === 'dynamic-import') return resolve('instead', 'undici-proxy.cjs');
        // Commander loads it at each start for commands that are separate programs; vagent has none.
        const isUnused = id === 'node:child_process' && /[/\\]commander[/\\]/.test(importer ?? '');
        const name = isUnused ? 'node:http2' : id;
        return Object.hasOwn(INSTEAD, name) ? resolve('instead', `${name.replace(':', '-')}.cjs`) : undefined;
      },
      load: (id) =>
        Object.entries(INSTEAD).find(([name]) => id === resolve('instead', `${name.replace(':', '-')}.cjs`))?.[1],
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
        cpSync('src/commands/completion/vagent.bash', 'dist/vagent.bash');
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
