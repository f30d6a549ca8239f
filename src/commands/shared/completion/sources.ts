/** What a flag's value, or an argument, is completed with. */
import type { Argument, Option } from 'commander';
import type { PlainCommand } from '../../../flags/plain-command.ts';
import { describedBy } from './request.ts';

/** Lists that the service holds. */
export const SERVICE_LISTS = ['agents', 'voices', 'languages', 'calls', 'outcomes', 'numbers'] as const;
export type ServiceList = (typeof SERVICE_LISTS)[number];

/** Lists of this machine, and of the program. */
export type OwnList =
  | 'campaigns'
  | 'plans'
  | 'profiles'
  | 'statuses'
  | 'encodings'
  | 'countries'
  | 'fields'
  | 'zones'
  | 'operations'
  | 'request';

export type Source =
  | { choices: readonly string[] }
  | { list: ServiceList | OwnList }
  | 'files'
  | 'folders'
  | 'help'
  | 'nothing';

/** Flags that mean the same wherever they are; choices and files are known from the flag itself. */
const FLAGS: Readonly<Record<string, ServiceList | OwnList>> = {
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
  'api operation': { list: 'operations' },
  'api field=value': { list: 'request' },
  'agent id': { list: 'agents' },
  'campaign campaign': { list: 'campaigns' },
  'plan plan': { list: 'plans' },
  'logs call_id': { list: 'calls' },
  'profile name': { list: 'profiles' },
  'voice id': { list: 'voices' },
  'local agent id': { list: 'agents' },
  'local campaign action': { choices: ['list', 'pause', 'resume'] },
  'local campaign campaign': { list: 'campaigns' },
  'local number action': { choices: ['add', 'list', 'remove'] },
  'local number number': { list: 'numbers' },
  'local org action': { choices: ['add', 'list'] },
  // A new name.
  'profile add name': 'nothing',
};

export function sourceOfFlag(option: Option): Source {
  const { choices } = describedBy(option);
  if (choices !== undefined) return { choices };
  if (/<file\b/.test(option.flags)) return 'files';
  if (/<dir\b/.test(option.flags)) return 'folders';
  const list = FLAGS[option.long ?? ''];
  return list === undefined ? 'nothing' : { list };
}

/** The source of the argument at a position, counted from 0. */
export function sourceOfArgument(command: PlainCommand, position: number): Source {
  const { registeredArguments } = command;
  const argument: Argument | undefined = registeredArguments[position] ?? registeredArguments.at(-1);
  if (argument === undefined || (position >= registeredArguments.length && !argument.variadic)) return 'nothing';
  const { choices } = describedBy(argument);
  if (choices !== undefined) return { choices };
  // Every command that holds others has one.
  if (command.name() === 'help') return 'help';
  const [, ...path] = command.path.split(' ');
  const name = argument.name();
  const source = ARGUMENTS[[...path, name].join(' ')] ?? ARGUMENTS[[...path.slice(0, -1), name].join(' ')];
  return source ?? (name === 'file' || name === 'contacts' ? 'files' : 'nothing');
}
