#!/usr/bin/env node
import { main } from '../dist/main.js';

// The first Ctrl-C lets the command end cleanly; with the handler gone, a second one ends the process at once.
const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());

process.exitCode = await main({
  argv: process.argv.slice(2),
  env: process.env,
  streams: process,
  signal: interrupt.signal,
});
