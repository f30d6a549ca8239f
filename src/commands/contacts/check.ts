import type { OptionsOf } from '../../cli/flags/values.ts';
import { filled } from '../../cli/flags/values.ts';
import { sourceName } from '../../cli/terminal/io.ts';
import { isForPerson, printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { ZoneRules } from '../../contacts/rules.ts';
import type { Context } from '../../context.ts';
import type { Contact } from '../../contract.ts';
import { InputError } from '../../errors.ts';
import { withoutThose } from '../../register/do-not-call.ts';
import { counted } from '../../text/numbers.ts';
import { shellWord } from '../../text/shell.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import {
  addContactFlags,
  type ContactOptions,
  contactFlagsAsGiven,
  optedOutIfKnown,
  readContacts,
  requireContactFlags,
  ZONE_COLUMN,
} from '../shared/contacts.ts';
import { renderReport } from '../shared/contacts-report.ts';
import { askContactsFile } from '../shared/questions.ts';

const ZONES = {
  zones: ['--zones', 'show in which time zones the contacts are'],
  ...ZONE_COLUMN,
  window: ['--window <hours>', 'reject contacts that are never inside these hours, such as 09:00-20:00', filled],
} as const;

type Options = ContactOptions & OptionsOf<typeof ZONES>;

/** The exit code of an InputError. */
const INVALID_INPUT = 3;

export const command: CommandModule = {
  notes: `
Who opted out of the calls of the service is left out, as campaign create does, and counted as do_not_call.`,
  examples: [
    'vagent contacts check contacts.csv',
    'vagent contacts check patients.csv --map phone_number="Mobile 2" --country DE ' +
      '--first-line "Hello {{First name|there}}, this is Ava." --exclude never-call.txt',
    'vagent contacts check patients.csv --skip-invalid --rejects to-fix.csv --json',
    'vagent contacts check contacts.csv --zones --window mon-fri=09:00-20:00,sat=10:00-16:00',
  ],
  exits: 'offline',
  takes: (command) =>
    addContactFlags(command.asked('<file>', 'CSV or .xlsx of contacts, or - for standard input', filled)).takesFlags(
      ZONES,
      'Time zones',
    ),
  run,
};

async function run(context: Context, given: string | undefined, options: Options): Promise<void> {
  const { io } = context;
  requireContactFlags(options, context);
  const path = await orAsk(io, given, askContactsFile('<file>'));
  const acceptsZones = await zonesAsked(options, context);
  const out = await optedOutIfKnown(context);
  // Only then are the contacts kept: a list of millions fills the memory.
  const leavesOut = out !== undefined &&
    out.size > 0 && {
      keepsContacts: true,
      leaveOut: async (all: readonly Contact[]) => {
        const contacts = withoutThose(out, all);
        return { contacts, leftOut: [], doNotCall: all.length - contacts.length };
      },
    };
  const read = { ...options, flag: '<file>', acceptsZones, ...leavesOut };
  const { report, unusable, advice } = await readContacts(path, read, context);
  noteNextTime(context);
  // Set before the report is printed, so that it also holds if the reader of stdout stops early.
  if (unusable > 0) context.line.exitCode = INVALID_INPUT;
  if (isForPerson(context)) await io.screen(renderReport(report, path, io));
  else await printRecord(context, { ...report, do_not_call: out === undefined ? null : (report.do_not_call ?? 0) });
  if (unusable === 0) {
    if (report.accepted > 0)
      suggestNext(context, `vagent plan create ${shellWord(path)}${contactFlagsAsGiven(context)}`);
    return;
  }
  throw new InputError(`${sourceName(path)}: ${unusable} of ${counted(report.rows, 'row')} cannot be used.`, {
    hint: advice ?? 'Fix them, or leave them out with --skip-invalid; --rejects puts them into a file.',
  });
}

/**
 * Whether contacts are asked where they are, and which of them could never be called. Undefined if no flag asks. Throws UsageError
 * if the window is not understood.
 */
async function zonesAsked(
  { zones, zoneColumn, window }: Options,
  context: Context,
): Promise<ZoneRules['accepts'] | undefined> {
  if (window === undefined) return zones || zoneColumn !== undefined ? () => true : undefined;
  const [{ callableWindow }, { hasCommonWindow }, { ZONE_OF_CONTACT }] = await Promise.all([
    import('../../plans/rules/window.ts'),
    import('../../plans/rules/calendar.ts'),
    import('../../plans/rules/rules.ts'),
  ]);
  const rules = { window: callableWindow(window), zone: ZONE_OF_CONTACT, skipDates: [] };
  const now = context.clock.system();
  return (names, country) => hasCommonWindow(rules, { zones: names, country: country ?? null }, now);
}
