import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/temporary.ts'],
    // Each case starts programs: on a busy machine of two cores they queue.
    testTimeout: 30_000,
    maxWorkers: 2,
  },
});
