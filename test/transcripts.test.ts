/**
 * Transcripts that stand beside the tests of what they show: what `sessions` does for the README's, without starting the
 * program.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { matches, NOW, parseSession, SessionRunner } from './support/session.ts';
import { voiceExample } from './support/voice-example.ts';

const paths = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
const transcripts = paths.filter((path) => path.endsWith('.session') && !path.startsWith('sessions'));

describe.concurrent('transcripts', async () => {
  const env = { ...(await voiceExample(NOW, 'active')), FIXTURES: join(import.meta.dirname, 'fixtures') };
  test.each(transcripts)('%s', async (path) => {
    const runner = new SessionRunner({ env });
    for (const step of parseSession(readFileSync(join(import.meta.dirname, path), 'utf8'))) {
      const actual = await runner.run(step);
      if (!matches(actual, step.expected)) expect(actual, step.command).toEqual(step.expected);
    }
  });
});
