/** `vagent voice list` over a service that a test makes. */
import { expect, test } from 'vitest';
import { run } from '../../../src/commands/voice/list.ts';
import { testContext } from '../../support/context.ts';

const VOICE = {
  voice_id: 7,
  voice_name: 'Lucía',
  language: 'es',
  language_name: 'Spanish',
  gender: 'female',
  accent: 'Castilian',
  style: 'warm',
  description: '',
};

test('asks for what the flags say, and shows the answer as tab-separated values', async () => {
  const asked: unknown[] = [];
  const voices = [VOICE, { ...VOICE, voice_id: 8, voice_name: 'Luis\t2' }];
  const { context, written } = testContext({
    service: {
      async getVoices(request) {
        asked.push(request);
        return { success: true, voices, total: 2 };
      },
    },
  });
  await run(context, { language: 'es' });
  const { stdout, stderr } = await written();
  expect(asked).toEqual([{ language: 'es', gender: undefined }]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split('\t').slice(0, 2))).toEqual([
    [String(VOICE.voice_id), VOICE.voice_name],
    ['8', 'Luis 2'],
  ]);
  expect(stderr).toBe('');
});
