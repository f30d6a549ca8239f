import type { Context } from '../../context.ts';
import { contact } from '../../contract.ts';
import { csvLine } from '../../text/csv.ts';
import type { CommandModule } from '../shared/command.ts';

/** These numbers are reserved for fiction, so that nobody is called by mistake. */
const EXAMPLES = [
  ['+14155550101', 'Hello Ann, this is Ava from the Harbour Clinic.', 'Offer the check-up in December.', 'crm-1001'],
  ['+442079460102', 'Hello Bob, this is Ava from the Harbour Clinic.', '', 'crm-1002'],
];

export const command: CommandModule = {
  examples: ['vagent contacts template > contacts.csv'],
  exits: 'offline',
  formats: ['csv'],
  run,
};

async function run({ io }: Context): Promise<void> {
  await io.data([Object.keys(contact.shape), ...EXAMPLES].map((cells) => csvLine(cells)).join(''));
}
