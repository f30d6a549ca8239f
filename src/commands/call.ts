import { InvalidArgumentError } from 'commander';
import type { OptionsOf } from '../cli/flags/values.ts';
import { country, filled, identifier, numberArgument, timeout, writtenNumber } from '../cli/flags/values.ts';
import { adviceToSeeResult, commandThatShows } from '../cli/terminal/advice.ts';
import type { Io } from '../cli/terminal/io.ts';
import { isForPerson, printRecord, requireFields, suggestNext } from '../cli/terminal/output.ts';
import { ask, complete } from '../cli/terminal/prompt.ts';
import { inWords } from '../cli/terminal/words.ts';
import { placeholderIn, wordsBeyondLimit } from '../contacts/check/spoken.ts';
import { requireDialable, warningsOf } from '../contacts/numbers/dialable.ts';
import type { Context } from '../context.ts';
import {
  type CallLogEntry,
  DEFAULT_ACCOUNT,
  FIRST_LINE_ADVISED_WORDS,
  listFields,
  type RequestOf,
  traceOf,
} from '../contract.ts';
import { NOT_COMPLETED, TIMED_OUT, UsageError } from '../errors.ts';
import type { Sending } from '../register/guards.ts';
import { localTime } from '../text/time.ts';
import type { CommandModule } from './shared/command.ts';
import { readPhone, requireCountry } from './shared/phone.ts';
import { askActiveAgent, askCallingNumber, askNumber, chosenName } from './shared/questions.ts';

const DEFAULT_WAIT_TIMEOUT = '10m';

const CALL = {
  agent: ['--agent <id>', 'agent that calls (vagent agent list)', identifier],
  from: ['--from <number>', "one of the organization's agent numbers", writtenNumber],
  country: ['--country <code>', 'ISO code of the country of numbers without +, such as DE', country],
  firstLine: ['--first-line <text>', 'what the agent says first', filled],
  instruction: ['--instruction <text>', 'instructions for this call only', String],
  identifier: ['--identifier <text>', 'your own identifier for this call', String],
  account: ['--account <name>', `who or what triggered the call (default ${DEFAULT_ACCOUNT})`, String],
} as const;
const WAITING = {
  wait: ['--wait', 'wait for the call and its transcript, and print its entry of the call log'],
  waitTimeout: [
    '--wait-timeout <duration>',
    `end after this time at the latest, also while a request hangs (default ${DEFAULT_WAIT_TIMEOUT})`,
    timeout,
  ],
} as const;
const FLAGS = {
  dryRun: ['--dry-run', 'print the request and send nothing'],
  once: ['--once <key>', 'place this call once, however often it is asked for under this key', keyOfCall],
  force: ['--force', 'call even if the outcome of the last call to this number is unknown'],
} as const;
/** Characters of a key. */
const LONGEST_KEY = 200;

/** What nobody sees, such as the end of a line of Windows, would make two keys of one, and ring twice. */
function keyOfCall(text: string): string {
  const key = text.normalize('NFC');
  if (key === key.trim() && /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u.test(key) && key.length <= LONGEST_KEY) return key;
  const visible = 'without spaces at its ends and characters that nobody sees';
  throw new InvalidArgumentError(`It must be a text of 1 to ${LONGEST_KEY} characters, ${visible}.`);
}

/** `waitTimeout` in milliseconds. */
type Options = OptionsOf<typeof CALL & typeof WAITING & typeof FLAGS>;

export const command: CommandModule = {
  notes: `
--wait: the service does not say which entry of its call log a call becomes. It is taken to be the new entry
with the same agent and the same two numbers whose time is at most 2 minutes before the call; an entry whose
time cannot be read, or has no zone, counts too. The transcript of a completed call is waited for as well; if
it does not come in time, the entry is printed without it.
The exit code is 0 for a completed call, 10 for one that is over and was not completed, 12 if --wait-timeout passed before
that was seen, and 8 if several entries match, because none is picked, or if the service did not answer the call itself in
that time.

-o ids prints the id of the call's entry with --wait. Without it the service does not say which entry that will be:
nothing is printed.

--once: the same key never rings twice, on every machine that shares the register. Asked for again, the command replies with
the first call's reply, exit code 0; with other arguments it is refused (2); while nobody knows whether the first call was placed,
nothing is sent (8). A call that certainly was not placed leaves its key free. With --wait, the first call's entry is printed.

Who opted out of calls is not called, even with --force: exit code 3 (do_not_call). See vagent help safety.
`,
  examples: [
    'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello, this is Ava."',
    'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello." --wait --wait-timeout 15m',
    'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello." --dry-run',
  ],
  exits: 'waiting',
  operation: 'triggerCall',
  takes: (command) =>
    command
      .asked('<to>', 'number to call, such as +14155550123', numberArgument)
      .takesFlags(CALL, 'Call')
      .takesFlags(WAITING, 'Waiting')
      .takesFlags(FLAGS),
  run,
};

export async function run(context: Context, written: string | undefined, options: Options): Promise<void> {
  if (options.waitTimeout !== undefined && !options.wait) throw new UsageError('--wait-timeout needs --wait.');
  const { io, settings } = context;
  if (options.country !== undefined) await requireCountry(options.country);
  const profile = settings.profile();
  const numbers = { country: options.country ?? profile?.country, hasCountryFlag: true };
  const givenTo = written && (await readPhone(written, { place: '<to>', ...numbers }, io));
  const givenFrom = options.from && (await readPhone(options.from, { place: '--from', ...numbers }, io));
  const { to, agent, from, firstLine } = await complete(
    io,
    {
      to: givenTo,
      agent: options.agent ?? profile?.agent_id,
      from: givenFrom ?? profile?.from,
      firstLine: options.firstLine,
    },
    {
      to: askNumber('<to>', 'Number to call', numbers),
      agent: askActiveAgent(context),
      from: askCallingNumber(context, numbers),
      firstLine: { flag: '--first-line', message: 'First line', parse: filled, mayHaveLines: true },
    },
  );
  // Asked only where everything is: whoever writes a command line leaves it out on purpose.
  const instruction = options.instruction ?? (written === undefined ? await askInstruction(io) : undefined);
  await requireDialable(from, '--from');
  if (settings.isRemote()) for (const warning of await warningsOf(to)) io.warn(warning);
  const words = wordsBeyondLimit(firstLine);
  if (words > 0) io.warn(`the first line has ${words} words; fewer than ${FIRST_LINE_ADVISED_WORDS} are advised.`);
  for (const [flag, text = ''] of [
    ['--first-line', firstLine],
    ['--instruction', instruction],
    ['--identifier', options.identifier],
  ] as const) {
    const placeholder = placeholderIn(text);
    if (placeholder !== undefined) io.warn(`${flag}: ${placeholder} was left in the text.`);
  }
  const request: RequestOf<'triggerCall'> = {
    use_agent_id: agent,
    called_to: to,
    call_from: from,
    custom_first_line: firstLine,
    custom_instruction: instruction,
    called_by_account: options.account,
    custom_identifiers: options.identifier ?? '',
  };
  const { force } = options;
  let placedAt: number | undefined;
  const once = options.once !== undefined && {
    key: options.once,
    onPlacedBefore(at: number) {
      placedAt = at;
      io.note(`This call was placed before, ${localTime(at)}: nothing was sent.`);
    },
  };
  const sending = { force, once: once || undefined };
  if (options.dryRun) {
    const { printDryRun } = await import('./shared/dry-run.ts');
    return printDryRun(context, { operation: 'triggerCall', request }, sending);
  }
  if (io.answers.length > 0) await requireYes(request, context);
  if (options.wait) return placeAndWait(request, sending, { ...options, placedBefore: () => placedAt }, context);
  const service = await context.services.chosen(sending);
  const reply = await service.triggerCall(request);
  // Of the reply, a person can use the room alone, not how the phone was reached.
  const forPerson = { called_to: to, call_from: from, agent_id: agent, room_name: reply.room_name };
  // An entry of the call log has another id than the room in which it takes place.
  await printRecord(context, isForPerson(context) ? forPerson : reply, { idColumn: 'call_id' });
  suggestNext(context, `vagent logs list --to ${to}`, 'its result');
}

async function placeAndWait(
  request: RequestOf<'triggerCall'>,
  sending: Sending,
  { waitTimeout, placedBefore }: Options & { placedBefore(): number | undefined },
  context: Context,
): Promise<void> {
  const { flags, clock } = context;
  requireFields(flags.fields, listFields.calls);
  const service = await context.services.chosen(sending);
  const [{ callAndWait, isReported }, { printCall }] = await Promise.all([
    import('../calls/wait.ts'),
    import('../cli/terminal/print-call.ts'),
  ]);
  const trace = traceOf({ operation: 'triggerCall', request });
  const hint = adviceToSeeResult(commandThatShows(trace, clock.system(), flags));
  const timeoutMs = waitTimeout ?? timeout(DEFAULT_WAIT_TIMEOUT);
  const entry = await callAndWait(service, request, { timeoutMs, hint, placedBefore }, context);
  const now = await clock.now();
  await printCall(context, entry, now);
  // Below a transcript that has filled the screen.
  if (isForPerson(context)) context.io.note(resultOf(entry, now, context));
  if (entry.call_status !== 'completed') context.line.exitCode = isReported(entry) ? NOT_COMPLETED : TIMED_OUT;
}

/** `Call call_0000000006: completed, 20 s, not interested.` */
function resultOf(entry: CallLogEntry, now: number, { io }: Context): string {
  const wording = { now, redact: (text: string) => io.redactor.redact(text) };
  const told = (['call_status', 'call_duration', 'call_outcome'] as const)
    .map((field) => inWords(field, entry[field], wording))
    .filter((text) => text !== '');
  return `Call ${inWords('call_id', entry.call_id, wording)}: ${told.join(', ')}.`;
}

function askInstruction(io: Io): Promise<string | undefined> {
  return ask(io, {
    flag: '--instruction',
    message: 'Instruction for this call',
    hint: 'Enter: none',
    parse: (text) => text || undefined,
    mayHaveLines: true,
  });
}

/** Shows what was asked together before a phone rings for it. */
async function requireYes(request: RequestOf<'triggerCall'>, context: Context): Promise<void> {
  const { requireConsent } = await import('./shared/consent.ts');
  const { called_to, call_from, use_agent_id, custom_first_line, custom_instruction, custom_identifiers } = request;
  const facts = {
    To: called_to,
    From: call_from,
    Agent: chosenName(context.io, '--agent') ?? use_agent_id,
    'First line': custom_first_line,
    Instruction: custom_instruction,
    Identifier: custom_identifiers,
    Account: request.called_by_account,
  };
  const isReal = context.settings.isRemote();
  const question = isReal ? `Call ${called_to}?` : 'Place this call on the simulator?';
  await requireConsent({ facts, question, ringsPhones: isReal }, context);
}
