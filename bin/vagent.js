#!/usr/bin/env node
// CommonJS, like the whole built program: loading ES modules takes longer than most commands run.
const { fstatSync, fsyncSync, readFileSync, writeSync } = require('node:fs');

const text = readyText(process.argv.slice(2));
if (text === undefined || !isWritten(text)) run();

/** The version, which scripts ask for most often, and the overview: texts that need nothing to be loaded. */
function readyText([first, ...rest]) {
  // Alone at a terminal, it may ask where to begin.
  if (rest.length > 0 || (first === undefined && [0, 1, 2].every(require('node:tty').isatty))) return undefined;
  if (first === '--version' || first === '-V') return `${require('../package.json').version}\n`;
  if (![undefined, '--help', '-h', 'help'].includes(first) || isNarrow()) return undefined;
  return readFileSync(`${__dirname}/../dist/overview.txt`, 'utf8');
}

/** Whether stdout is a terminal with lines shorter than the overview's. Asking loads much, so files and pipes are not asked. */
function isNarrow() {
  return fstatSync(1).isCharacterDevice() && process.stdout.columns < 80;
}

/** Whether stdout took the whole text. If not, the ordinary program runs, finds the cause and reports it. */
function isWritten(text) {
  try {
    if (writeSync(1, text) < Buffer.byteLength(text)) return false;
    // Some file systems report only on fsync that they are full.
    if (fstatSync(1).isFile()) fsyncSync(1);
    return true;
  } catch {
    return false;
  }
}

function run() {
  if (Number.parseInt(process.versions.node, 10) >= 22) require('./compile-cache.js').keepCompiled();
  const { main, standardStreams } = require('../dist/main.cjs');

  // The first Ctrl-C or SIGTERM lets the command end cleanly; a second one ends the process at once.
  const interrupt = new AbortController();
  const numbers = { SIGINT: 2, SIGTERM: 15 };
  for (const signal of Object.keys(numbers)) process.on(signal, end);

  function end(signal) {
    if (!interrupt.signal.aborted) return interrupt.abort();
    for (const name of Object.keys(numbers)) process.off(name, end);
    process.kill(process.pid, signal);
    // Process 1 of a container cannot kill itself with a signal.
    process.exit(128 + numbers[signal]);
  }

  main({
    argv: process.argv.slice(2),
    env: process.env,
    streams: standardStreams(process),
    signal: interrupt.signal,
  }).then((code) => {
    process.exitCode = code;
  });
}
