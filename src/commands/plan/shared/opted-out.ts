/** The phones that opted out of the calls of a plan's service and organization. */
import type { Context } from '../../../context.ts';
import { systemFiles } from '../../../files/file-system.ts';
import { OptedOut } from '../../../plans/folder/opted-out.ts';
import type { Plan } from '../../../plans/plan.ts';
import { serviceKey } from '../../../register/service-key.ts';

export function optedOutOf({ isLocal, service, organization_id }: Plan, { settings, commandLine }: Context): OptedOut {
  return new OptedOut({
    fs: systemFiles,
    stateFolder: settings.stateFolder(),
    command: commandLine,
    service: isLocal ? service : serviceKey(service),
    organizationId: organization_id,
  });
}
