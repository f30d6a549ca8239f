/**
 * The lists that values are chosen from. Nothing here changes anything: the local engine is read as it is stored, and a service is
 * only asked for lists. Whatever fails is thrown.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listCache } from '../../cli/completion/list-cache.ts';
import { type Candidate, commandsBelow, type Request } from '../../cli/completion/request.ts';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import type { Context } from '../../context.ts';
import {
  CALL_STATUSES,
  contact,
  FIRST_INSTANT,
  LAST_INSTANT,
  operationNames,
  operations,
  requestFields,
  type SilentService,
} from '../../contract.ts';
import { readKeyFile, type Target } from '../../settings/settings.ts';
import { TOPICS } from '../shared/topics.ts';

type Item = Readonly<Record<string, unknown>>;

export interface Live {
  context: Context;
  /** Milliseconds that a service has for its answer: the shell waits as long. */
  patience(): number;
  /** Asks the service for the same in a process that nobody waits for. */
  askLater?: () => Promise<void>;
}

/** The newest calls whose ids are offered. */
const RECENT_CALLS = 30;

// Lists of the service in effect ---------------------------------------------------------------------------------------

/** The field of an item that is the value, and the words about it. */
const SHOWN = {
  agents: ['agent_id', ({ agent_name, status }) => [agent_name, status === 'active' ? '' : `(${text(status)})`]],
  voices: [
    'voice_id',
    (voice) => [`${text(voice.voice_name)},`, voice.language_name, voice.gender, voice.accent, voice.style],
  ],
  languages: ['language', ({ language_name }) => [language_name]],
  calls: ['call_id', (call) => [text(call.timestamp).slice(0, 16).replace('T', ' '), call.called_to, call.call_status]],
  outcomes: ['call_outcome', () => []],
  numbers: ['number', () => []],
  campaigns: ['campaign_id', ({ campaign_name, status }) => [campaign_name, status]],
} satisfies Record<string, [id: string, about: (item: Item) => unknown[]]>;

type ServiceList = keyof typeof SHOWN;

/** Items without a usable value are left out. */
function shown(list: ServiceList, items: readonly Item[]): Candidate[] {
  const [id, about] = SHOWN[list] as [string, (item: Item) => unknown[]];
  const candidates = items.flatMap((item) => {
    const value = item[id];
    if (typeof value !== 'number' && text(value) === '') return [];
    return { value: String(value), about: about(item).map(text).filter(Boolean).join(' ') };
  });
  return distinct(candidates);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.value, candidate])).values()];
}

async function ofEngine(list: ServiceList, context: Context): Promise<readonly Item[]> {
  const { timeline } = await context.local.engine();
  const snapshot = await timeline.stored();
  const { agents, organization, campaigns } = snapshot.state;
  if (list === 'agents') return agents;
  if (list === 'campaigns') return campaigns.toReversed();
  if (list === 'numbers') return organization.numbers.map((number) => ({ number }));
  if (list === 'voices' || list === 'languages') return (await import('../../engine/handlers.ts')).VOICES;
  const every = { from: FIRST_INSTANT, until: LAST_INSTANT, agentId: undefined };
  return (await snapshot.callPage(every, RECENT_CALLS, 0)).calls;
}

type Remote = Extract<Target, { mode: 'remote' }>;

async function ofService(list: ServiceList, target: Remote, live: Live): Promise<Candidate[]> {
  const { context, patience, askLater } = live;
  if (list === 'campaigns') return shown(list, await sentCampaigns(target, context));
  const { settings, clock } = context;
  const organization_id = settings.requireOrganization();
  const cache = listCache(settings.stateFolder(), [target.name, organization_id], clock.system());
  const kept = cache.kept(list);
  if (kept?.isFresh) return kept.candidates;
  const service = await context.services.at(target.baseUrl, { organization_id, api_key: await keyAtHand(context) });
  const answer = asked(list, service, target, context);
  // Its connection is closed when the program ends, which then rejects it.
  answer.catch(() => {});
  const lists = await Promise.race([answer, sleep(patience(), 'late' as const, { ref: false })]);
  if (lists === 'late') {
    if (askLater !== undefined && cache.mayAsk()) await askLater();
    return kept?.candidates ?? [];
  }
  const candidates = Object.entries(lists).map(([name, items]) => [name, shown(name as ServiceList, items)] as const);
  cache.keep(Object.fromEntries(candidates));
  return shown(list, lists[list] ?? []);
}

/** One answer gives several lists. */
async function asked(
  list: ServiceList,
  service: SilentService,
  target: Remote,
  context: Context,
): Promise<Partial<Record<ServiceList, readonly Item[]>>> {
  if (list === 'agents') return { agents: (await service.getAgents({})).agents };
  if (list === 'voices' || list === 'languages') {
    const { voices } = await service.getVoices({});
    return { voices, languages: voices };
  }
  const { calls } = await service.getCallLogs({ limit: RECENT_CALLS });
  // The service does not list an organization's numbers: those of the profile, those that campaigns were sent with, and of calls.
  const sent = await sentCampaigns(target, context);
  const numbers = [context.settings.ownProfile()?.from, ...[...sent, ...calls].map(({ call_from }) => call_from)];
  return { calls, outcomes: calls, numbers: numbers.map((number) => ({ number })) };
}

/** The campaigns that were sent to the service from this machine; the newest first. */
async function sentCampaigns({ name }: Remote, context: Context): Promise<Item[]> {
  const register = await context.register.open();
  const { campaigns } = await register.campaigns(name, context.settings.requireOrganization());
  return campaigns.map(({ sent: { request }, answer = {} }) => {
    return { campaign_id: answer.campaign_id, campaign_name: request.campaign_name, call_from: request.call_from };
  });
}

/**
 * The key, if it can be had without disturbing anybody: an api_key_command is not run, because a password manager might open a
 * window at every Tab, and standard input is not read.
 */
async function keyAtHand({ settings, flags: { apiKeyFile, profile }, io }: Context): Promise<string> {
  if (apiKeyFile !== undefined && apiKeyFile !== '-') return readKeyFile(apiKeyFile, io);
  const ofProfile = settings.ownProfile()?.api_key;
  const { VAGENT_API_KEY: ofEnvironment } = settings.env;
  const key = profile === undefined ? ofEnvironment || ofProfile : ofProfile || ofEnvironment;
  if (apiKeyFile === '-' || !key) throw new Error('There is no key at hand.');
  io.redactor.add(key);
  return key;
}

// Lists of this machine, and of the program ------------------------------------------------------------------------------

const OWN = {
  async profiles(_request, connect) {
    const profiles = Object.entries(connect().context.settings.config().profiles);
    return profiles.map(([value, { mode, base_url }]) => {
      return { value, about: mode === 'local' ? 'simulator' : (base_url ?? '') };
    });
  },
  async plans(_request, connect) {
    const { listPlans } = await import('../../plans/rows/plans.ts');
    const rows = await connect().context.register.rows();
    return (await rows.read(listPlans)).map(({ planId, loaded }) => {
      const about = loaded === undefined ? 'damaged' : `${loaded.plan.plan_name} ${loaded.position.state}`;
      return { value: String(planId), about };
    });
  },
  zones: async () => bare(Intl.supportedValuesOf('timeZone')),
  statuses: async () => bare(CALL_STATUSES),
  async countries() {
    const { countries } = await import('../../contacts/numbers/phone-cell.ts');
    const names = new Intl.DisplayNames(['en'], { type: 'region' });
    return countries().map((value) => ({ value, about: names.of(value) ?? '' }));
  },
  encodings: async () => bare((await import('../../contacts/rules.ts')).ENCODINGS),
  fields: async () => bare(Object.keys(contact.shape).map((field) => `${field}=`)),
  operations: async () =>
    Object.values(operations).map(({ method, path }) => ({ value: path.slice(1), about: method })),
  async request({ args }) {
    const operation = operationNames.find((name) => operations[name].path === `/${args[0]}`);
    const fields = operation === undefined ? [] : requestFields(operation);
    return bare(fields.map((field) => `${field}=`).filter((start) => !args.some((pair) => pair.startsWith(start))));
  },
  /** What may follow `help`: the commands below the words that stand there, and at its beginning the topics. */
  async help({ command, args }) {
    let parent = command.parent as PlainCommand;
    for (const name of args) {
      const child = parent.child(name);
      if (child === undefined) return [];
      await child.complete();
      parent = child;
    }
    const isRoot = parent.parent === null && args.length === 0;
    const topics = Object.entries(TOPICS).map(([value, about]) => ({ value, about }));
    // Some are names of commands as well.
    return distinct([...(isRoot ? topics : []), ...commandsBelow(parent)]);
  },
} satisfies Record<string, (request: Request, connect: () => Live) => Promise<Candidate[]>>;

export type ListName = ServiceList | keyof typeof OWN;

/** `connect` chooses the service by the flags that were typed. */
export async function candidatesOf(list: ListName, request: Request, connect: () => Live): Promise<Candidate[]> {
  if (!Object.hasOwn(SHOWN, list)) return OWN[list as keyof typeof OWN](request, connect);
  const live = connect();
  const target = live.context.settings.target();
  const name = list as ServiceList;
  return target.mode === 'local' ? shown(name, await ofEngine(name, live.context)) : ofService(name, target, live);
}

function bare(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}
