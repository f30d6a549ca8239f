import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/process-start.ts'],
    // Ends what hangs, and nothing else: a busy machine may take ten times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    sequence: { sequencer: LongestFirst },
    server: { deps: { external: [/\/dist\//] } },
    // A command that runs in the process of its test changes the working folder: a thread cannot.
    pool: 'forks',
    // Its helpers cost more of a busy machine than they save: a fifth of the work of a test in the process.
    execArgv: ['--single-threaded-gc'],
    isolate: false,
    env: { TZ: 'UTC' },
    // Of cases that run side by side most wait for an answer.
    maxConcurrency: 12,
    // Three times the cores: much of what a test does is to wait.
    maxWorkers: 6,
  },
});
