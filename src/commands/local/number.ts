import { connectionFlags } from '../../cli/flags/global.ts';
import { numberArgument } from '../../cli/flags/values.ts';
import { printList, printRecord } from '../../cli/terminal/output.ts';
import { askOneOf, orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { E164 } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { readPhone } from '../shared/phone.ts';
import { askNumber } from '../shared/questions.ts';

export const command: CommandModule = {
  examples: ['vagent local number list', 'vagent local number add +14155550142'],
  exits: 'engine',
  lists: 'list',
  takes: (command) =>
    command
      .asked('<action>', 'add, remove or list', String)
      .argument('[number]', 'number to add or remove, such as +14155550142', numberArgument),
  run,
};

const ACTIONS: readonly string[] = ['list', 'add', 'remove'];

async function run(context: Context, givenAction: string | undefined, written: string | undefined): Promise<void> {
  const { io, flags, settings } = context;
  const action = await orAsk(io, givenAction, askOneOf('<action>', 'What to do', ACTIONS));
  if (action === 'list') {
    if (written !== undefined) throw new UsageError('vagent local number list takes no number.');
    const { timeline } = await context.local.engine();
    const { snapshot } = await timeline.read();
    const numbers = snapshot.state.organization.numbers.map((registered) => ({ number: registered }));
    await printList(context, { numbers }, 'numbers', {
      columns: ['number'],
      empty: `No numbers yet. Register one: vagent local number add +14155550142${connectionFlags(flags)}`,
    });
    return noteNextTime(context);
  }
  if (action !== 'add' && action !== 'remove')
    throw new UsageError(`${JSON.stringify(action)} is not one of add, remove, list.`);
  if (written === undefined && !io.canAsk) throw new UsageError(`vagent local number ${action} needs a number.`);
  const reading = { country: settings.profile()?.country, hasCountryFlag: false };
  const given =
    written === undefined || (action === 'remove' && E164.test(written))
      ? written
      : await readPhone(written, { place: '<number>', ...reading }, io);
  const asking = askNumber('<number>', `Number to ${action}`, reading);
  const registered = async () => (await import('../shared/choices.ts')).registeredNumbers(context);
  const number = await orAsk(io, given, action === 'add' ? asking : { ...asking, choices: registered });
  const { addNumber, removeNumber } = await import('../../engine/controls.ts');
  const change = { add: addNumber, remove: removeNumber }[action];
  const { timeline } = await context.local.engine();
  const numbers = await timeline.change(({ state }) => {
    change(state, number);
    return state.organization.numbers;
  });
  await printRecord(context, { numbers });
  noteNextTime(context);
}
