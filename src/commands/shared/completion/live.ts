/**
 * Lists that change: agents, voices, calls, numbers, campaigns. Nothing here changes anything: the local engine is read as it is
 * stored, and a service is only asked for lists. Whatever fails is thrown.
 */
import type { Context } from '../../../context.ts';
import { FIRST_INSTANT, LAST_INSTANT, type Service } from '../../../contract.ts';
import type { GlobalFlags } from '../../../flags/global.ts';
import { readKeyFile } from '../../../settings/key.ts';
import type { Target } from '../../../settings/target.ts';
import { type Candidate, listCache } from './cache.ts';
import {
  agentCandidates,
  callCandidates,
  campaignCandidates,
  languageCandidates,
  numberCandidates,
  outcomeCandidates,
  voiceCandidates,
} from './lists.ts';
import type { ServiceList } from './sources.ts';

/** The newest calls whose ids are offered. */
const RECENT_CALLS = 30;
const EVERY_CALL = { from: FIRST_INSTANT, until: LAST_INSTANT, agentId: undefined };

export interface Live {
  context: Context;
  /** Milliseconds that a service has for its answer: the shell waits as long. */
  patience(): number;
  /** Asks the service for the same in a process that nobody waits for. */
  askLater?: () => Promise<void>;
}

type Remote = Extract<Target, { mode: 'remote' }>;

/** A list of the service in effect. */
export async function serviceList(list: ServiceList, live: Live): Promise<Candidate[]> {
  const target = live.context.settings.target();
  return target.mode === 'local' ? ofEngine(list, live.context) : ofService(list, target, live);
}

async function ofEngine(list: ServiceList, context: Context): Promise<Candidate[]> {
  const { store } = await context.local();
  const snapshot = await store.snapshot();
  const { agents, organization } = snapshot.state;
  const calls = async () => (await snapshot.callPage(EVERY_CALL, RECENT_CALLS, 0)).calls;
  const voices = async () => (await import('../../../engine/catalog.ts')).VOICES;
  switch (list) {
    case 'agents':
      return agentCandidates(agents);
    case 'voices':
      return voiceCandidates(await voices());
    case 'languages':
      return languageCandidates(await voices());
    case 'calls':
      return callCandidates(await calls());
    case 'outcomes':
      return outcomeCandidates(await calls());
    case 'numbers':
      return numberCandidates(organization.numbers);
  }
}

async function ofService(
  list: ServiceList,
  target: Remote,
  { context, patience, askLater }: Live,
): Promise<Candidate[]> {
  const { settings, flags, systemNow } = context;
  const organization = settings.requireOrganization();
  const cache = listCache(settings.stateFolder(), { service: target.name, organization }, systemNow());
  const fresh = cache.fresh(list);
  if (fresh !== undefined) return fresh;
  const api_key = await keyAtHand(target, flags, context);
  const service = await context.serviceAt(target.baseUrl, { organization_id: organization, api_key });
  const answer = asked(list, service, () => ownNumbers(target, organization, context));
  const lists = await within(patience(), answer);
  if (lists === 'late') {
    if (askLater !== undefined && cache.mayAsk()) await askLater();
    return cache.last(list) ?? [];
  }
  cache.keep(lists);
  return lists[list] ?? [];
}

/** One answer gives several lists. */
async function asked(
  list: ServiceList,
  service: Service,
  ownNumbers: () => Promise<unknown[]>,
): Promise<Partial<Record<ServiceList, Candidate[]>>> {
  if (list === 'agents') return { agents: agentCandidates((await service.getAgents({})).agents) };
  if (list === 'voices' || list === 'languages') {
    const { voices } = await service.getVoices({});
    return { voices: voiceCandidates(voices), languages: languageCandidates(voices) };
  }
  const { calls } = await service.getCallLogs({ limit: RECENT_CALLS });
  const numbers = [...(await ownNumbers()), ...calls.map(({ call_from }) => call_from)];
  return {
    calls: callCandidates(calls),
    outcomes: outcomeCandidates(calls),
    numbers: numberCandidates(numbers),
  };
}

/** The service does not list an organization's numbers: those of the profile, and those that campaigns were sent with. */
async function ownNumbers(target: Remote, organization: number, context: Context): Promise<unknown[]> {
  const campaigns = await sentCampaigns(target, organization, context);
  return [context.settings.ownProfile()?.from, ...campaigns.map(({ sent }) => sent.request.call_from)];
}

/** The campaigns of the local engine, or those that were sent to the service from this machine; the newest first. */
export async function campaignList(context: Context): Promise<Candidate[]> {
  const target = context.settings.target();
  if (target.mode === 'local') {
    const { store } = await context.local();
    return campaignCandidates((await store.snapshot()).state.campaigns.toReversed());
  }
  const campaigns = await sentCampaigns(target, context.settings.requireOrganization(), context);
  return campaignCandidates(
    campaigns.map(({ sent, answer = {} }) => ({
      campaign_id: answer.campaign_id,
      campaign_name: sent.request.campaign_name,
    })),
  );
}

async function sentCampaigns({ name }: Remote, organization: number, context: Context) {
  const register = await context.register.open();
  const { campaigns } = await register.campaigns(name, organization);
  return campaigns;
}

/**
 * The key, if it can be had without disturbing anybody: an api_key_command is not run, because a password manager might open a
 * window at every Tab, and standard input is not read.
 */
async function keyAtHand(target: Remote, flags: GlobalFlags, { settings, env, io }: Context): Promise<string> {
  const ofProfile = settings.ownProfile()?.api_key;
  if (flags.apiKeyFile !== undefined && flags.apiKeyFile !== '-') return readKeyFile(flags.apiKeyFile, io);
  const key = flags.profile === undefined ? env.VAGENT_API_KEY || ofProfile : ofProfile || env.VAGENT_API_KEY;
  if (flags.apiKeyFile === '-' || !key) throw new Error(`no key at hand for ${target.name}`);
  io.redactor.add(key);
  return key;
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), milliseconds);
  });
  // Its connection is closed when the program ends, which then rejects it.
  answer.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
