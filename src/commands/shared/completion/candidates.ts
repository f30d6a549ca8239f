/** The candidates for the place of the cursor. */
import type { Option } from 'commander';
import type { Context } from '../../../context.ts';
import type { PlainCommand } from '../../../flags/plain-command.ts';
import type { ListedPlan } from '../../../plans/rows/plans.ts';
import { TOPICS } from '../topics.ts';
import type { Candidate } from './cache.ts';
import { distinct } from './lists.ts';
import type { Live } from './live.ts';
import { childOf, describedBy, flagsOf, type Request } from './request.ts';
import {
  type OwnList,
  SERVICE_LISTS,
  type ServiceList,
  type Source,
  sourceOfArgument,
  sourceOfFlag,
} from './sources.ts';

export interface Answer {
  candidates: Candidate[];
  /** Names of files or folders, which shells complete themselves. */
  paths?: 'files' | 'folders';
  /** Whether the word goes on after a candidate. */
  goesOn?: true;
}

/** `connect` chooses the service by the flags that were typed. Throws whatever prevents that the candidates are found. */
export async function answerTo(request: Request, connect: () => Live): Promise<Answer> {
  const { command, place } = request;
  if (place.kind === 'value') return fromSource(sourceOfFlag(place.option), request, connect);
  if (place.kind === 'flag') return { candidates: flagCandidates(flagsOf(command), request) };
  const commands = request.args.length === 0 ? commandCandidates(command) : [];
  const source = sourceOfArgument(command, request.args.length);
  const answer = await fromSource(source, request, connect);
  const candidates = [...commands, ...answer.candidates];
  if (candidates.length > 0 || source !== 'nothing') return { ...answer, candidates };
  // Nothing else can follow, so a command's own flags are shown without a dash being typed.
  const isWaiting = command.commands.length > 0 || request.args.length < command.registeredArguments.length;
  const own = command.options.filter(({ hidden }) => !hidden);
  return { candidates: isWaiting || place.typed !== '' ? [] : flagCandidates(own, request) };
}

function commandCandidates(command: PlainCommand): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), about: child.summary() }));
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
  if (source === 'help') return { candidates: await helpCandidates(request) };
  if ('choices' in source) return { candidates: bare(source.choices) };
  const { list } = source;
  if (isServiceList(list)) {
    const { serviceList } = await import('./live.ts');
    return { candidates: await serviceList(list, connect()) };
  }
  return ofOwnList(list, request, connect);
}

function isServiceList(list: ServiceList | OwnList): list is ServiceList {
  return (SERVICE_LISTS as readonly string[]).includes(list);
}

async function ofOwnList(list: OwnList, { args }: Request, connect: () => Live): Promise<Answer> {
  switch (list) {
    case 'profiles':
      return { candidates: profileCandidates(connect().context) };
    case 'campaigns': {
      const { campaignList } = await import('./live.ts');
      return { candidates: await campaignList(connect().context) };
    }
    case 'plans': {
      const { listPlans } = await import('../../../plans/rows/plans.ts');
      const rows = await connect().context.rows();
      return { candidates: (await rows.read(listPlans)).map(planCandidate) };
    }
    case 'zones':
      return { candidates: bare(Intl.supportedValuesOf('timeZone')) };
    case 'statuses': {
      const { CALL_STATUSES } = await import('../../../contract.ts');
      return { candidates: bare(CALL_STATUSES) };
    }
    case 'countries': {
      const { countries } = await import('../../../contacts/numbers/phone-cell.ts');
      const names = new Intl.DisplayNames(['en'], { type: 'region' });
      return { candidates: countries().map((value) => ({ value, about: names.of(value) ?? '' })) };
    }
    case 'encodings': {
      const { ENCODINGS } = await import('../../../contacts/read/encodings.ts');
      return { candidates: bare(ENCODINGS) };
    }
    case 'fields': {
      const { contact } = await import('../../../contract.ts');
      return { candidates: bare(Object.keys(contact.shape).map((field) => `${field}=`)), goesOn: true };
    }
    case 'operations': {
      const { operations } = await import('../../../contract.ts');
      return {
        candidates: Object.values(operations).map(({ method, path }) => ({ value: path.slice(1), about: method })),
      };
    }
    case 'request': {
      const { operationNames, operations, requestFields } = await import('../../../contract.ts');
      const operation = operationNames.find((name) => operations[name].path === `/${args[0]}`);
      const fields = operation === undefined ? [] : requestFields(operation);
      const free = fields.filter((field) => !args.some((pair) => pair.startsWith(`${field}=`)));
      return { candidates: bare(free.map((field) => `${field}=`)), goesOn: true };
    }
  }
}

function planCandidate({ planId, loaded }: ListedPlan): Candidate {
  const about = loaded === undefined ? 'damaged' : `${loaded.plan.plan_name} ${loaded.position.state}`;
  return { value: String(planId), about };
}

function profileCandidates({ settings }: Context): Candidate[] {
  return Object.entries(settings.config().profiles).map(([value, { mode, base_url }]) => ({
    value,
    about: mode === 'local' ? 'local engine' : (base_url ?? ''),
  }));
}

/** What may follow `help`: the commands below the words that stand there, and at its beginning the topics. */
async function helpCandidates({ command, args }: Request): Promise<Candidate[]> {
  let parent = command.parent as PlainCommand;
  for (const name of args) {
    const child = childOf(parent, name);
    if (child === undefined) return [];
    await child.complete();
    parent = child;
  }
  const isRoot = parent.parent === null && args.length === 0;
  const ofTopics = Object.entries(TOPICS).map(([value, about]) => ({ value, about }));
  // Some are names of commands as well.
  return distinct([...(isRoot ? ofTopics : []), ...commandCandidates(parent)]);
}

function bare(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}
