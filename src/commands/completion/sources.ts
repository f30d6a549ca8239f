/** What completes what: a flag's value, or an argument. */

import type { Argument, Option } from 'commander';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import type { Candidate } from './cache.ts';
import type { ListName, Live } from './lists.ts';
import { commandsBelow, describedBy, flagsOf, type Request } from './request.ts';

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
