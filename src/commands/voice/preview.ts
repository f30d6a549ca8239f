import { connectionFlags } from '../../cli/flags/global.ts';
import { identifier } from '../../cli/flags/values.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import type { ResponseOf } from '../../contract.ts';
import { NotFoundError } from '../../errors.ts';
import { originalOf } from '../../text/json.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { AUDIO_ENDINGS, addMediaFlags, type MediaOptions, saveMedia } from '../shared/save-media.ts';

export const command: CommandModule = {
  notes:
    'Reads the preview from the address that the service gives for the voice, without the key. A file that exists is ' +
    'replaced only with --yes. The local engine has no previews.',
  examples: ['vagent voice preview 3', 'vagent voice preview 3 --out ava.mp3'],
  exits: 'reading',
  operation: 'getVoices',
  takes: (command) => addMediaFlags(command.asked('<id>', 'voice (vagent voice list)', identifier)),
  run,
};

async function run(context: Context, given: number | undefined, options: MediaOptions): Promise<void> {
  const list = `vagent voice list${connectionFlags(context.flags)}`;
  const choices = async () =>
    (await import('../shared/choices.ts')).voiceChoices(await context.services.chosen(), undefined);
  const question = { flag: '<id>', message: 'Voice', choices, parse: identifier };
  const id = await orAsk(context.io, given, question);
  const service = await context.services.chosen();
  const { voices } = await service.getVoices({});
  const voice = voices.find(({ voice_id }) => voice_id === id);
  if (voice === undefined) throw new NotFoundError(`Voice ${id} does not exist.`, { hint: list });
  const address = previewOf(voice);
  if (address === undefined) throw new NotFoundError(`Voice ${id} has no preview.`, { hint: list });
  await saveMedia({ address, what: 'preview', name: `voice-${id}` }, options, context);
  noteNextTime(context);
}

const AUDIO = new RegExp(`^https?://[^?#]+\\.(${AUDIO_ENDINGS.join('|')})([?#]|$)`, 'i');

/** The documented field; else an address in a field that is named after a sample, or that leads to audio. */
function previewOf(voice: ResponseOf<'getVoices'>['voices'][number]): string | undefined {
  if (typeof voice.preview_url === 'string' && voice.preview_url !== '') return voice.preview_url;
  const texts = Object.entries(originalOf(voice)).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  const named = texts.find(([name, value]) => /preview|sample/i.test(name) && /^https?:/i.test(value));
  return (named ?? texts.find(([, value]) => AUDIO.test(value)))?.[1];
}
