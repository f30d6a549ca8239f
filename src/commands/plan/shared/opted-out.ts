/** The phones that opted out of the calls of a plan's service and organization. */
import type { Context } from '../../../context.ts';
import { OptedOut } from '../../../plans/folder/opted-out.ts';
import type { Plan } from '../../../plans/plan.ts';
import { serviceKey } from '../../../register/service-key.ts';

export async function optedOutOf(
  { isLocal, service, organization_id }: Plan,
  { state, commandLine }: Context,
): Promise<OptedOut> {
  const opened = await state();
  await opened.refresh('plans');
  return new OptedOut({
    state: opened,
    command: commandLine,
    service: isLocal ? service : serviceKey(service),
    organizationId: organization_id,
  });
}
