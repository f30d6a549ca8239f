/** What the work on plans is handed. */
import { UsageError } from '../../errors.ts';
import type { Ports } from '../../register/ports.ts';
import { serviceKey } from '../../register/service-key.ts';
import type { Plan } from '../rules/plan.ts';

export interface PlanPorts extends Ports {
  /** The local engine's store, even where a remote service is meant. */
  readonly store: {
    key(): string;
    /** The same for people. */
    name(): string;
  };
  readonly lists: ListPorts;
  /** Is told of new calls by a status that the service's interface does not name: how many, by status. */
  onUnclear(planId: number, calls: ReadonlyMap<string, number>): void;
}

/** The lists of numbers never to call that plans name by their paths. */
export interface ListPorts {
  /** Reads one of them. `country`: ISO code of the country of numbers in national form. Throws InputError and FileError. */
  read(path: string, country: string | undefined): Promise<{ lineOf(number: string): number | undefined }>;
  /** The folder in which is kept which of them this machine's operator has named. */
  folder(): string;
}

/** Throws UsageError if another service, organization or store is meant than those of the plan: it calls by no other. */
export function requireSameService(plan: Plan, { register, store }: Pick<PlanPorts, 'register' | 'store'>): void {
  const target = register.target();
  if (isOfSameService(plan, target)) return;
  const nameOf = (isLocal: boolean, service: string, of: number) =>
    `${isLocal ? `the local engine in ${service}` : service}, organization ${of}`;
  const { isLocal, service, organizationId } = target;
  const name = isLocal ? store.name() : service;
  const isInSameStore = plan.isLocal && isLocal && service === plan.service;
  const own = nameOf(plan.isLocal, plan.service, plan.organization_id);
  const meant = nameOf(isLocal, name, organizationId);
  throw new UsageError(`Plan ${plan.plan_id} is one of ${own}, but this means ${meant}. Nothing was sent.`, {
    reason: {
      kind: 'plan_elsewhere',
      isLocal: plan.isLocal,
      organizationId: isInSameStore ? plan.organization_id : undefined,
    },
  });
}

type Target = ReturnType<PlanPorts['register']['target']>;

/** Whether a plan is one of the service, or the store, and the organization that are meant. */
export function isOfSameService(plan: Plan, { isLocal, service, organizationId }: Target): boolean {
  if (plan.isLocal !== isLocal || plan.organization_id !== organizationId) return false;
  return isLocal ? service === plan.service : serviceKey(service) === serviceKey(plan.service);
}
