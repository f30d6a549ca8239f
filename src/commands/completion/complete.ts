/**
 * Answers a shell's completion function. It is silent about every failure, asks nothing, and changes nothing but its own cache:
 * somebody who presses Tab has not decided anything yet.
 */
import { fileURLToPath } from 'node:url';
import type { Argument, Option } from 'commander';
import {
  type Candidate,
  commandsBelow,
  describedBy,
  flagsOf,
  type Request,
  readLine,
  readRequest,
  SHELLS,
  type Shell,
  type Tree,
  type TypedLine,
} from '../../cli/completion/request.ts';
import { type GlobalFlags, globalFlag } from '../../cli/flags/global.ts';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import { cell } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import type { Environment } from '../../settings/folders.ts';
import { SECOND } from '../../text/units.ts';
import type { ListName, Live } from './lists.ts';

/** What the shells' functions make of an answer, as numbers that are added up. The names are those of @bomb.sh/tab. */
const NO_SPACE = 2;
const NO_FILES = 4;
const FOLDERS = 16;
const KEEP_ORDER = 32;

/** Milliseconds from here on in which a service must answer: with the start of the program, a completion takes 150 at most. */
const PATIENCE = 70;
/** The same for a process that nobody waits for. */
const PATIENCE_LATER = 10 * SECOND;
/** Follows the name of the shell in the command line of such a process. */
const LATER = 'later';

const NOTHING: Answer = { candidates: [] };
/** Characters; what a shell shows beside a candidate is one line. */
const LONGEST_ABOUT = 80;

/**
 * `words` are those after `vagent complete`: the shell's name, `--`, and the command line. The flags that were typed are set, so
 * that the context chooses the service that they mean.
 */
export async function complete(
  words: readonly string[],
  tree: Tree,
  { context, useFlags }: { context: Context; useFlags(flags: GlobalFlags): void },
): Promise<void> {
  const shell = SHELLS.find((name) => name === words[0]) ?? 'bash';
  const began = performance.now();
  const parts = words.slice(words.indexOf('--') + 1);
  const line = readLine(shell, parts);
  const { io, settings } = context;
  const asking =
    words[1] === LATER
      ? { patience: () => PATIENCE_LATER }
      : {
          patience: () => Math.max(0, began + PATIENCE - performance.now()),
          askLater: () => askLater([shell, LATER, '--', ...parts], settings.env),
        };
  const request = await readRequest(tree, line).catch(() => undefined);
  const connect = (typed: Request): Live => {
    useFlags({ ...connectionOf(typed, settings.env.HOME), quiet: true, noInput: true });
    return { ...asking, context };
  };
  const answer = request && (await answerTo(request, () => connect(request)).catch(() => undefined));
  await io.data(`${[...linesOf(shell, line, request, answer), `:${directive(answer)}`].join('\n')}\n`);
}

/** The candidates that go on with what is typed, as the shell's script expects them. */
function linesOf(shell: Shell, { quote }: TypedLine, request: Request | undefined, answer: Answer = NOTHING): string[] {
  const typed = request?.place.typed ?? '';
  const prefix = request?.place.kind === 'value' && quote === '' ? request.place.prefix : '';
  const candidates = answer.candidates.filter(({ value }) => value.startsWith(typed) && isPrintable(value));
  return candidates.map(({ value, about }) => {
    const written = shell === 'bash' ? writtenInBash(prefix + value, quote) : value;
    const said = shortened(cell(about));
    return said === '' ? written : `${written}\t${said}`;
  });
}

/** Completes the same line in a process of its own, which keeps what the service answers for the next time that Tab is pressed. */
async function askLater(words: readonly string[], env: Environment): Promise<void> {
  const { spawn } = await import('node:child_process');
  const program = fileURLToPath(new URL('../bin/vagent.js', import.meta.url));
  const options = { env, detached: true, stdio: 'ignore', windowsHide: true } as const;
  const child = spawn(process.execPath, [program, 'complete', ...words], options);
  child.on('error', () => {});
  child.unref();
}

/** The flags that choose the service. Throws if one of them has a value that it cannot have. */
function connectionOf({ given }: Request, home: string | undefined): GlobalFlags {
  const flags: Record<string, unknown> = {};
  for (const [option, value] of given) {
    if (globalFlag(option.long ?? '') === undefined) continue;
    const text = value.replace(/^~(?=\/)/, home ?? '~');
    const name = option.attributeName();
    flags[name] = option.required ? (option.parseArg ?? String)(text as never, undefined as never) : true;
  }
  return flags;
}

function directive({ candidates, paths }: Answer = NOTHING): number {
  const goesOn = candidates.length > 0 && candidates.every(({ value }) => value.endsWith('='));
  if (paths === 'folders') return FOLDERS;
  if (paths === 'files') return candidates.length === 0 ? 0 : NO_FILES;
  return NO_FILES + KEEP_ORDER + (goesOn ? NO_SPACE : 0);
}

/** Whether a value can be put on a command line as it is. */
function isPrintable(value: string): boolean {
  return cell(value) === value && !/[\r\n\t]/.test(value);
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_ABOUT ? text : `${characters.slice(0, LONGEST_ABOUT - 1).join('')}…`;
}

/** A value as bash must find it in its line; inside of a quote that is open, or outside of quotes. */
function writtenInBash(value: string, quote: TypedLine['quote']): string {
  if (quote === '"') return value.replaceAll(/[$`"\\]/g, String.raw`\$&`);
  if (quote === "'") return value.replaceAll("'", String.raw`'\''`);
  return value.replaceAll(/[^\w@%+=:,./\u0080-\uffff-]/g, String.raw`\$&`);
}

/** The values themselves, or the list that has them; shells complete names of files and folders themselves. */
export type Source = readonly string[] | ListName | 'files' | 'folders' | 'nothing';

/** Flags that mean the same wherever they are; choices and files are known from the flag itself. */
const FLAGS: Readonly<Record<string, ListName>> = {
  '--profile': 'profiles',
  '--agent': 'agents',
  '--voice': 'voices',
  '--from': 'numbers',
  '--campaign': 'campaigns',
  '--status': 'statuses',
  '--outcome': 'outcomes',
  '--opt-out': 'outcomes',
  '--language': 'languages',
  '--country': 'countries',
  '--encoding': 'encodings',
  '--map': 'fields',
  '--timezone': 'zones',
  '--zone': 'zones',
};

/** Arguments by the command they belong to, or by the noun it is under, and their name. */
const ARGUMENTS: Readonly<Record<string, Source>> = {
  'api operation': 'operations',
  'api field=value': 'request',
  'agent id': 'agents',
  'campaign campaign': 'campaigns',
  'plan plan': 'plans',
  'logs call_id': 'calls',
  'profile name': 'profiles',
  'voice id': 'voices',
  'local agent id': 'agents',
  'local campaign action': ['list', 'pause', 'resume'],
  'local campaign campaign': 'campaigns',
  'local number action': ['add', 'list', 'remove'],
  'local number number': 'numbers',
  'local org action': ['add', 'list'],
  // A new name.
  'profile add name': 'nothing',
};

export function sourceOfFlag(option: Option): Source {
  const { choices } = describedBy(option);
  if (choices !== undefined) return choices;
  if (/<file\b/.test(option.flags)) return 'files';
  if (/<dir\b/.test(option.flags)) return 'folders';
  return FLAGS[option.long ?? ''] ?? 'nothing';
}

/** The source of the argument at a position, counted from 0. */
export function sourceOfArgument(command: PlainCommand, position: number): Source {
  const { registeredArguments } = command;
  const argument: Argument | undefined = registeredArguments[position] ?? registeredArguments.at(-1);
  if (argument === undefined || (position >= registeredArguments.length && !argument.variadic)) return 'nothing';
  const { choices } = describedBy(argument);
  if (choices !== undefined) return choices;
  // Every command that holds others has one.
  if (command.name() === 'help') return 'help';
  const [, ...path] = command.path.split(' ');
  const name = argument.name();
  const source = ARGUMENTS[[...path, name].join(' ')] ?? ARGUMENTS[[...path.slice(0, -1), name].join(' ')];
  return source ?? (name === 'file' || name === 'contacts' ? 'files' : 'nothing');
}

export interface Answer {
  candidates: Candidate[];
  /** Names of files or folders, which shells complete themselves. */
  paths?: 'files' | 'folders';
}

/** `connect` chooses the service by the flags that were typed. Throws whatever prevents that the candidates are found. */
export async function answerTo(request: Request, connect: () => Live): Promise<Answer> {
  const { command, place, args } = request;
  if (place.kind === 'value') return fromSource(sourceOfFlag(place.option), request, connect);
  if (place.kind === 'flag') return { candidates: flagCandidates(flagsOf(command), request) };
  const commands = args.length === 0 ? commandsBelow(command) : [];
  const source = sourceOfArgument(command, args.length);
  const answer = await fromSource(source, request, connect);
  const candidates = [...commands, ...answer.candidates];
  if (candidates.length > 0 || source !== 'nothing') return { ...answer, candidates };
  // Nothing else can follow, so a command's own flags are shown without a dash being typed.
  const isWaiting = command.commands.length > 0 || args.length < command.registeredArguments.length;
  const own = command.options.filter(({ hidden }) => !hidden);
  return { candidates: isWaiting || place.typed !== '' ? [] : flagCandidates(own, request) };
}

/** Without those that are given and may not be given again. */
function flagCandidates(options: readonly Option[], { given, place }: Request): Candidate[] {
  const isFree = (option: Option) => !given.has(option) || describedBy(option).isRepeatable === true;
  const flags = options.filter(isFree).flatMap(({ long, short, description }) => {
    const name = place.typed.startsWith('--') || !place.typed.startsWith('-') || !short ? long : short;
    return name == null ? [] : [{ value: name, about: description }];
  });
  return [...flags, { value: '--help', about: 'show the help of the command' }];
}

async function fromSource(source: Source, request: Request, connect: () => Live): Promise<Answer> {
  if (source === 'nothing') return { candidates: [] };
  if (source === 'files' || source === 'folders') return { candidates: [], paths: source };
  if (typeof source !== 'string') return { candidates: source.map((value) => ({ value, about: '' })) };
  const { candidatesOf } = await import('./lists.ts');
  return { candidates: await candidatesOf(source, request, connect) };
}
