#!/usr/bin/env node
// CommonJS, like the whole built program: loading ES modules takes longer than most commands run.
const { fstatSync, fsyncSync, writeSync } = require('node:fs');

const [first, ...rest] = process.argv.slice(2);
const isVersion = rest.length === 0 && (first === '--version' || first === '-V');
// Scripts ask for the version most often, so it is printed before anything else is loaded.
if (!isVersion || !isWritten(`${require('../package.json').version}\n`)) run();

/** Whether stdout took the whole text. If not, the ordinary program runs, finds the cause and reports it. */
function isWritten(text) {
  try {
    if (writeSync(1, text) < text.length) return false;
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
