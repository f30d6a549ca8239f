import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/program.ts';
import { matches, NOW, parseSession, SessionRunner } from '../support/session.ts';
import { voiceExample } from '../support/voice-example.ts';

const folder = join(ROOT, 'test/sessions');

describe.concurrent('sessions', async () => {
  const env = await voiceExample(NOW);
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.session'))) {
    test(name, async () => {
      const runner = new SessionRunner({ env, startsPrograms: true });
      for (const step of parseSession(readFileSync(join(folder, name), 'utf8'))) {
        const actual = await runner.run(step);
        if (!matches(actual, step.expected)) expect(actual, step.command).toEqual(step.expected);
      }
    });
  }
});
