/** How profiles are kept, and that they are their owner's alone, as it shows on a screen: the transcripts of this folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { matches, parseSession, SessionRunner } from '../support/session.ts';

describe.concurrent('transcripts', () => {
  test.each(readdirSync(import.meta.dirname).filter((name) => name.endsWith('.session')))('%s', async (name) => {
    const runner = new SessionRunner();
    for (const step of parseSession(readFileSync(join(import.meta.dirname, name), 'utf8'))) {
      const actual = await runner.run(step);
      if (!matches(actual, step.expected)) expect(actual, step.command).toEqual(step.expected);
    }
  });
});
