/** What several checks look at: each is asked for once, by the first check that needs it. */
import type { Context } from '../context.ts';
import type { Agent, Service } from '../contract.ts';
import type { State } from '../engine/state.ts';

/** Describes what is in order; undefined if there was nothing to check. Throws if something is not in order. */
export type Look = (context: Context, asked: Asked) => string | undefined | Promise<string | undefined>;

type Store = Awaited<ReturnType<Context['local']['engine']>>['store'];
export type DatabaseFacts = Awaited<ReturnType<NonNullable<Store['diagnose']>>>;

/** The agents of a service, some at a time. */
export type AgentPages = (service: Service) => AsyncIterable<{ agents: readonly Agent[] }>;

export class Asked {
  readonly agentPages: AgentPages;
  readonly #context: Context;
  #service: Promise<Service> | undefined;
  #database: Promise<DatabaseFacts | undefined> | undefined;

  constructor(context: Context, agentPages: AgentPages) {
    this.#context = context;
    this.agentPages = agentPages;
  }

  /** The remote one. */
  async service(): Promise<Service> {
    const { settings, services } = this.#context;
    const target = settings.target();
    if (target.mode !== 'remote') throw new Error('there is no remote service');
    this.#service ??= settings.credentials().then((credentials) => services.at(target.baseUrl, credentials));
    return await this.#service;
  }

  /** The local engine's. A store that does not exist yet is checked as it will be created. */
  async state(): Promise<State> {
    return (await (await this.#context.local.engine()).timeline.stored()).state;
  }

  async database(): Promise<DatabaseFacts | undefined> {
    const { local, clock } = this.#context;
    this.#database ??= local.engine().then(({ store }) => store.diagnose?.(clock.system));
    return await this.#database;
  }
}
