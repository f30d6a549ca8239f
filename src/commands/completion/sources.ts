/** What completes what: a flag's value, or an argument. */
import type { Argument, Option } from 'commander';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import type { ListName } from './lists.ts';
import { describedBy } from './request.ts';

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
