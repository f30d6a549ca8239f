import { connectionFlags } from '../../cli/flags/global.ts';
import { oneOf } from '../../cli/flags/values.ts';
import { printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { GENDERS, listFields, type RequestOf } from '../../contract.ts';
import type { CommandModule } from '../shared/command.ts';

type Options = RequestOf<'getVoices'>;

export const command: CommandModule = {
  examples: ['vagent voice list --language es', 'vagent voice list | cut -f1'],
  exits: 'reading',
  lists: true,
  operation: 'getVoices',
  takes: (command) =>
    command
      .option('--language <code>', 'only voices of this language')
      .option('--gender <gender>', 'only male or female voices', oneOf(GENDERS)),
  run,
};

export async function run(context: Context, { language, gender }: Options): Promise<void> {
  const service = await context.services.chosen();
  const response = await service.getVoices({ language, gender });
  const brief = ['voice_id', 'voice_name', 'language', 'language_name', 'gender', 'accent', 'style'];
  await printList(context, response, 'voices', {
    columns: listFields.voices,
    brief,
    importance: ['voice_id', 'voice_name', 'language', 'gender', 'accent', 'style'],
    empty: `No voice matches. All of them: vagent voice list${connectionFlags(context.flags)}`,
  });
}
