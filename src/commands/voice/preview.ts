import { connectionFlags } from '../../cli/flags/global.ts';
import { identifier } from '../../cli/flags/values.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { NotFoundError } from '../../errors.ts';
import { previewOf } from '../../http/client/audio.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { addMediaFlags, type MediaOptions, saveMedia } from '../shared/save-media.ts';

export const command: CommandModule = {
  notes:
    'Reads the preview from the address that the service gives for the voice, without the key. A file that exists is ' +
    'replaced only with --yes. The simulator has no previews.',
  examples: ['vagent voice preview 3', 'vagent voice preview 3 --out ava.mp3'],
  exits: 'reading',
  formats: [],
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
