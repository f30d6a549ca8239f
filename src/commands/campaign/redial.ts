import type { Command } from 'commander';
import { CONTACT_STATES, type ContactState } from '../../calls/attribution/states.ts';
import { CALLED_AGAIN, type HeldBack } from '../../calls/call-again.ts';
import { ContactSheet } from '../../contacts/cut/sheet.ts';
import type { Field } from '../../contacts/header/columns.ts';
import type { ExclusionList } from '../../contacts/rows/exclusion-list.ts';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { country, filled, repeated } from '../../flags/values.ts';
import { sourceName } from '../../terminal/io.ts';
import { suggestNext } from '../../terminal/next.ts';
import { shellWord } from '../../text/shell.ts';
import { noteNextTime } from '../shared/consent.ts';
import { requireCountry } from '../shared/country.ts';
import { requireNotMadeFrom } from '../shared/made-from.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { stateListOf } from '../shared/state-list.ts';
import { requireOwnFile, writeText } from '../shared/write-text.ts';
import { contactsAt, type ReadAgain, readAgain } from './shared/again.ts';

interface Options {
  state?: ContactState[];
  exclude?: string[];
  country?: string;
  out?: string;
}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Writes a CSV of those to call again, with the texts with which they were sent and their original columns, for
vagent campaign create --contacts <file>, which needs no other flag to read it. Left out is who opted out of calls, who was
reached since the campaign began, by any agent and number, who still waits in another campaign, and whose call elsewhere has
an unknown outcome. On a real service the list is remembered: a campaign to people of one list needs no --again for a day, once.`,
    examples: [
      'vagent campaign redial 1 --out again.csv',
      'vagent campaign redial 1 --state busy,no_answer,failed --exclude never-call.txt --out again.csv',
      'vagent campaign redial 1 | ' +
        'vagent campaign create --name Again --agent 1 --from +14155550100 --contacts - --yes',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  command
    .argument('[campaign]', 'its id or name (default on a terminal: the latest)', campaignWord)
    .option(
      '--state <list>',
      `what came of those to call, of ${CONTACT_STATES.join(', ')} (default ${CALLED_AGAIN.join(',')})`,
      stateListOf(CONTACT_STATES),
    )
    .option('--exclude <file>', 'numbers never to call: a text file or a CSV; repeatable', repeated(filled))
    .option('--country <code>', 'ISO code of the country of national numbers in --exclude, such as DE', country)
    .option('--out <file>', 'the file to write, replaced in one step at the end (default: standard output)', filled)
    .action((word: CampaignWord | undefined, options: Options) => run(word, options, context));
}

export async function run(word: CampaignWord | undefined, options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const { out = '-', state: states = CALLED_AGAIN } = options;
  requireOwnFile(out, context);
  const exclude = await readLists(options, context);
  const known = await sentSoFar(context);
  const optedOut = await context.register.optedOut();
  const again = await readAgain(word, { states, exclude, unknown: known?.unknown ?? new Set(), optedOut }, context);
  const { rows, launch } = again;
  if (out !== '-') await requireNotMadeFrom(out, launch.files ?? [], context);
  const sheet = await sheetFor(again, context);
  // Before the list is handed out: whoever sends it at once is known to send a list.
  if (rows.length > 0 && again.stillWaiting === 0) await known?.keep(again);
  await writeText(sheet, out, context);
  noteNextTime(context);
  io.note(countsOf(again, out));
  if (again.stillWaiting > 0) {
    const whom = again.stillWaiting === 1 ? '1 of them: it waits' : `${again.stillWaiting} of them: they wait`;
    io.warn(`the campaign itself may still call ${whom} for an attempt. Sending this list needs --again.`);
  }
  if (again.ambiguous > 0) {
    const calls = again.ambiguous === 1 ? '1 of them has a call' : `${again.ambiguous} of them have calls`;
    io.warn(`${calls} that another campaign or call could have made: the campaign may still try again.`);
  }
  if (rows.length === 0 || out === '-') return;
  const name = shellWord(`${launch.campaign_name} again`);
  suggestNext(io, flags, `vagent campaign create --name ${name} --contacts ${shellWord(out)}`);
}

async function readLists(options: Options, { io, settings }: Context): Promise<ExclusionList[]> {
  const { exclude = [], country = settings.profile()?.country } = options;
  if (exclude.length === 0) return [];
  if (options.country !== undefined) await requireCountry(options.country);
  const { readExclusions } = await import('../../contacts/rows/exclusion-list.ts');
  const lists: ExclusionList[] = [];
  for (const path of exclude) {
    const bytes = io.chunks(path, '--exclude');
    lists.push(await readExclusions(bytes, sourceName(path), { country, encoding: undefined }));
  }
  return lists;
}

interface SentSoFar {
  /** Keys of phones that a request of unknown outcome calls. */
  unknown: ReadonlySet<number>;
  /** Remembers the list as one that was made with this knowledge. */
  keep(again: ReadAgain): Promise<void>;
}

/** What the register knows before anything else is read; undefined for the local engine. Throws FileErrors. */
async function sentSoFar({ register, settings, systemNow }: Context): Promise<SentSoFar | undefined> {
  const target = settings.target();
  if (target.mode === 'local') return undefined;
  const opened = await register.open();
  const at = systemNow();
  const lastEntry = await opened.lastEntry();
  return {
    unknown: await opened.unknownPhones(target.name),
    async keep({ rows, launch }) {
      const { campaign_id, campaign_name, part } = launch;
      const numbers: number[] = [];
      for await (const { contact } of contactsAt(rows, launch)) numbers.push(Number(contact.phone_number.slice(1)));
      await opened.keepRedial({
        service: target.name,
        organizationId: settings.requireOrganization(),
        at,
        lastEntry,
        campaigns: [{ entry: part.key, campaign_id, campaign_name }],
        numbers: Float64Array.from(numbers),
      });
    },
  };
}

/** The lines of the list, its header first. Throws at once, not at the first line, if what was kept cannot be read. */
async function sheetFor({ rows, launch }: ReadAgain, { io }: Context): Promise<AsyncGenerator<string>> {
  const used = new Set<Field>();
  for await (const { contact } of contactsAt(rows, launch)) {
    for (const [field, text] of Object.entries(contact)) if (text) used.add(field as Field);
  }
  const columns = launch.part.columns();
  if (columns === undefined && used.size <= 1 && rows.length > 0) {
    io.warn('nothing but the numbers of this campaign was kept: texts and columns are missing.');
  }
  const sheet = new ContactSheet(used, columns ?? []);
  return (async function* () {
    yield sheet.header;
    for await (const { contact, cells } of contactsAt(rows, launch)) yield sheet.line(contact, cells);
  })();
}

const REASONS: Record<HeldBack, string> = {
  do_not_call: 'opted out of calls',
  reached: 'reached since',
  waiting: 'waiting in another campaign',
  unknown: 'of unknown outcome',
  excluded: 'excluded',
  repeated: 'with a number that is in the list already',
};

function countsOf({ rows, heldBack, launch }: ReadAgain, out: string): string {
  const leftOut = Object.entries(heldBack).filter(([, count]) => count > 0);
  const total = leftOut.reduce((sum, [, count]) => sum + count, 0);
  const reasons = leftOut.map(([reason, count]) => `${count} ${REASONS[reason as HeldBack]}`).join(', ');
  const to = out === '-' ? '' : `, written to ${out}`;
  const whom = rows.length === 0 ? 'nobody' : rows.length === 1 ? '1 contact' : `${rows.length} contacts`;
  return `Campaign ${launch.campaign_id}: ${whom} to call again${to}${total === 0 ? '' : `; ${total} left out: ${reasons}`}.`;
}
