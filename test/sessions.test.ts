import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './support/program.ts';
import { matches, parseSession, SessionRunner } from './support/session.ts';

const folder = join(ROOT, 'test/sessions');

describe.concurrent('sessions', () => {
  for (const name of readdirSync(folder)) {
    test(name, async () => {
      const runner = new SessionRunner();
      for (const step of parseSession(readFileSync(join(folder, name), 'utf8'))) {
        const actual = await runner.run(step);
        if (!matches(actual, step.expected)) expect(actual, step.command).toEqual(step.expected);
      }
    });
  }
});
