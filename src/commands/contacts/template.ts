import type { Command } from 'commander';
import { EXITS, explain } from '../../cli/flags/help.ts';
import type { Context } from '../../context.ts';
import { contact } from '../../contract.ts';
import { CSV_FORMAT } from '../../text/csv.ts';

/** These numbers are reserved for fiction, so that nobody is called by mistake. */
const EXAMPLES = [
  ['+14155550101', 'Hello Ann, this is Ava from the Harbour Clinic.', 'Offer the check-up in December.', 'crm-1001'],
  ['+442079460102', 'Hello Bob, this is Ava from the Harbour Clinic.', '', 'crm-1002'],
];

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent contacts template > contacts.csv'],
    exits: EXITS.offline,
  });
  command.action(() => run(context));
}

export async function run({ io }: Context): Promise<void> {
  const { stringify } = await import('csv-stringify/sync');
  await io.data(stringify([Object.keys(contact.shape), ...EXAMPLES], CSV_FORMAT));
}
