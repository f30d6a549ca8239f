/** A plan calls people by the service for which it was made, and by no other. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { storeName } from '../../../files/store-place.ts';
import type { Plan } from '../../../plans/plan.ts';
import { serviceKey } from '../../../register/service-key.ts';

/** Throws UsageError if the settings mean another service, organization or store than those of the plan. */
export function requireSameService(plan: Plan, { settings }: Context): void {
  if (isOfSameService(plan, settings)) return;
  const target = settings.target();
  const isRemote = target.mode === 'remote';
  const meant = isRemote ? target.name : storeName(settings.store());
  const nameOf = (isLocal: boolean, service: string, of: number) =>
    `${isLocal ? `the local engine in ${service}` : service}, organization ${of}`;
  const isInSameStore = plan.isLocal && !isRemote && settings.storeKey() === plan.service;
  throw new UsageError(
    `Plan ${plan.plan_id} is one of ${nameOf(plan.isLocal, plan.service, plan.organization_id)}, but this means ${nameOf(!isRemote, meant, settings.requireOrganization())}. Nothing was sent.`,
    {
      reason: {
        kind: 'plan_elsewhere',
        isLocal: plan.isLocal,
        organizationId: isInSameStore ? plan.organization_id : undefined,
      },
    },
  );
}

/** Whether it is one of the service, or the store, and the organization that the settings mean. */
export function isOfSameService(plan: Plan, settings: Context['settings']): boolean {
  const target = settings.target();
  const isRemote = target.mode === 'remote';
  if (plan.isLocal === isRemote || plan.organization_id !== settings.requireOrganization()) return false;
  if (isRemote) return serviceKey(target.name) === serviceKey(plan.service);
  return settings.storeKey() === plan.service;
}
