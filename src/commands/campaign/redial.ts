import type { Launches } from '../../campaigns/launches.ts';
import { type HeldBack, type Redial, readRedial } from '../../campaigns/redial.ts';
import { country, filled, repeated } from '../../cli/flags/values.ts';
import { suggestNext } from '../../cli/terminal/output.ts';
import type { ExclusionList } from '../../contacts/check/exclusion-list.ts';
import type { Field } from '../../contacts/header/columns.ts';
import { ContactSheet } from '../../contacts/sheet.ts';
import type { Context } from '../../context.ts';
import type { ContactState } from '../../contract.ts';
import { InputError, reworded } from '../../errors.ts';
import { counted } from '../../text/numbers.ts';
import { shellWord } from '../../text/shell.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { encodingOf } from '../shared/contacts.ts';
import { findLaunch } from '../shared/find-campaign.ts';
import { requireNotMadeFrom, requireOwnCsv, writePieces } from '../shared/output-file.ts';
import { requireCountry } from '../shared/phone.ts';
import { idOrName, type Word } from '../shared/pick.ts';
import { FilesReadAgain } from '../shared/read-again.ts';
import { RESULT, readWanted, STATE, type WantedFlags } from '../shared/results.ts';

interface Options extends WantedFlags {
  exclude?: string[];
  encoding?: string;
  country?: string;
  out?: string;
}

/** Whoever is not reached, whatever came of the attempts. */
const DEFAULT_STATE: ContactState = 'not_reached';

export const command: CommandModule = {
  notes: `
Writes a CSV of those to call again, with the texts with which they were sent and their original columns, for
vagent campaign create --contacts <file>, which needs no other flag to read it. Left out is who opted out of calls, who was
reached since the campaign began, by any agent and number, who still waits in another campaign, and whose call elsewhere has
an unknown outcome. On a real service the list is remembered: a campaign to people of one list needs no --again for a day, once.`,
  examples: [
    'vagent campaign redial 1 --out again.csv',
    'vagent campaign redial 1 --result busy,no_answer --exclude never-call.txt --out again.csv',
    'vagent campaign redial 1 | ' +
      'vagent campaign create --name Again --agent 1 --from +14155550100 --contacts - --yes',
  ],
  exits: 'reading',
  formats: ['csv'],
  operation: 'getCallLogs',
  takes: (command) =>
    command
      .argument('[campaign]', 'its id or name (default on a terminal: the latest)', idOrName)
      .option(STATE[0], `${STATE[1]} (default ${DEFAULT_STATE})`, STATE[2])
      .option(...RESULT)
      .option('--exclude <file>', 'numbers never to call: a text file or a CSV; repeatable', repeated(filled))
      .option('--encoding <name>', 'of the lists of --exclude, such as windows-1252', filled)
      .option('--country <code>', 'ISO code of the country of national numbers in --exclude, such as DE', country)
      .option('--out <file>', 'the file to write, replaced in one step at the end (default: standard output)', filled),
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  const { io } = context;
  const { out = '-' } = options;
  if (out !== '-') requireOwnCsv(out, '--out', context.line);
  const exclude = await readLists(options, context);
  const isExcluded = (number: string) => exclude.some((list) => list.numbers.lineOf(number) !== undefined);
  context.services.announce();
  const find = (launches: Launches) => findLaunch(word, launches, context);
  const { wants, noteUnknown } = readWanted(options, context, [DEFAULT_STATE]);
  const again = await readRedial(find, { wants, isExcluded }, context);
  const { rows, launch } = again;
  if (out !== '-') await requireNotMadeFrom(out, launch.files, context);
  const sheet = await sheetFor(again, context);
  // Before the list is handed out: whoever sends it at once is known to send a list.
  if (rows.length > 0 && again.stillWaiting === 0) await again.keep();
  await writePieces(() => sheet, out, context);
  noteNextTime(context);
  io.note(countsOf(again, out));
  noteUnknown();
  if (again.stillWaiting > 0) {
    const whom = counted(again.stillWaiting, 'of them: it waits', 'of them: they wait');
    io.warn(`the campaign itself may still call ${whom} for an attempt. Sending this list needs --again.`);
  }
  if (again.ambiguous > 0) {
    const calls = counted(again.ambiguous, 'of them has a call', 'of them have calls');
    io.warn(`${calls} that another campaign or call could have made: the campaign may still try again.`);
  }
  if (rows.length === 0 || out === '-') return;
  const name = shellWord(`${launch.name} again`);
  suggestNext(context, `vagent campaign create --name ${name} --contacts ${shellWord(out)}`);
}

/** A list that is refused for how it is read leads on, as one of `contacts check` does. */
async function readLists(given: Options, context: Context): Promise<ExclusionList[]> {
  const { io, settings } = context;
  const { exclude = [] } = given;
  if (exclude.length === 0) return [];
  if (given.country !== undefined) await requireCountry(given.country);
  const { readExclusions } = await import('../../contacts/check/exclusion-list.ts');
  const files = new FilesReadAgain(io);
  const rulesOf = ({ encoding, country = settings.profile()?.country }: Options) => ({
    ...NO_RULES,
    ...{ encoding: encoding === undefined ? undefined : encodingOf(encoding), country },
  });
  try {
    for (let options = given; ; ) {
      const lists: ExclusionList[] = [];
      try {
        for (const path of exclude) {
          const { bytes, name } = files.of(path, '--exclude');
          lists.push(await readExclusions(bytes(), name, rulesOf(options)));
        }
        return lists;
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        const [{ listReadingsOf }, { adviceToRead, askReading }] = await Promise.all([
          import('../../contacts/readings/readings.ts'),
          import('../shared/which-reading.ts'),
        ]);
        const list = files.of(files.last, '--exclude');
        const readings = async () => listReadingsOf(error, list, NO_CONTACTS, rulesOf(options));
        const found = (await files.tried(readings)) ?? [];
        if (found.length > 0 && io.canAsk) {
          const chosen = await askReading(error, found, options, list.name, context);
          if (chosen === undefined) throw error;
          options = chosen;
          continue;
        }
        const trials = { readings: async () => found, check: async () => error };
        const hint = await adviceToRead(error, options, trials, false, context);
        throw hint === undefined ? error : reworded(error, { hint, reason: undefined });
      }
    }
  } finally {
    await files.close();
  }
}

/** The contacts of the campaign were read already, in their own way. */
const NO_CONTACTS = { name: '', async *bytes() {} };
const NO_RULES = { mapping: {}, templates: [], delimiter: undefined, headerLine: undefined, sheet: undefined };

/** The lines of the list, its header first. Throws at once, not at the first line, if what was kept cannot be read. */
async function sheetFor({ rows, launch, contacts }: Redial, { io }: Context): Promise<AsyncGenerator<string>> {
  const used = new Set<Field>();
  for await (const { contact } of contacts()) {
    for (const [field, text] of Object.entries(contact)) if (text) used.add(field as Field);
  }
  const columns = await launch.columns();
  if (columns === undefined && used.size <= 1 && rows.length > 0) {
    io.warn('nothing but the numbers of this campaign was kept: texts and columns are missing.');
  }
  const sheet = new ContactSheet(used, columns?.names ?? []);
  return (async function* () {
    yield sheet.header;
    for await (const { contact, cells } of contacts()) yield sheet.line(contact, cells);
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

function countsOf({ rows, heldBack, launch }: Redial, out: string): string {
  const leftOut = Object.entries(heldBack).filter(([, count]) => count > 0);
  const total = leftOut.reduce((sum, [, count]) => sum + count, 0);
  const reasons = leftOut.map(([reason, count]) => `${count} ${REASONS[reason as HeldBack]}`).join(', ');
  const to = out === '-' ? '' : `, written to ${out}`;
  const whom = rows.length === 0 ? 'nobody' : counted(rows.length, 'contact');
  return `Campaign ${launch.campaignId}: ${whom} to call again${to}${total === 0 ? '' : `; ${total} left out: ${reasons}`}.`;
}
