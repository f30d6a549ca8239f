/** The candidates for the place of the cursor. */
import type { Option } from 'commander';
import type { Candidate } from './cache.ts';
import type { Live } from './lists.ts';
import { commandsBelow, describedBy, flagsOf, type Request } from './request.ts';
import { type Source, sourceOfArgument, sourceOfFlag } from './sources.ts';

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
