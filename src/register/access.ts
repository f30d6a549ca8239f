/**
 * A command's access to the register: it can read it, and it prevents that something is sent to a real service twice,
 * and that anybody is called who opted out.
 */
import type { RequestOf, Sent, Service } from '../contract.ts';
import type { Rows } from '../storage/database/sql.ts';
import type { Target } from './do-not-call.ts';
import type { Messages, Recording, Sending } from './guards.ts';
import type { PlacedRequest } from './placed-request.ts';
import { ringing } from './requests.ts';

interface AccessParts {
  messages: Messages;
  rows: () => Promise<Rows>;
  systemNow: () => number;
  target: () => Target;
  /** Milliseconds by which the service's clock was ahead of this machine's at its last answer; undefined if none had a date. */
  clockAhead: () => number | undefined;
  /** Called for each call that was placed, and each campaign that was created. */
  onPlaced: (placed: PlacedRequest) => void;
}

export type RegisterAccess = ReturnType<typeof registerAccess>;

/** Loads the register only when something is sent: reading calls does not need it. */
export function registerAccess({ messages, rows, systemNow, target, clockAhead, onPlaced }: AccessParts) {
  const open = async () => {
    const { Register } = await import('./register.ts');
    return new Register({ rows: await rows(), systemNow });
  };
  const recording = async (): Promise<Recording> => {
    const { operator } = await import('./open-rows.ts');
    const { service, organizationId } = target();
    return { register: await open(), service, organizationId, by: operator(), clockAhead, ...messages };
  };
  const optedOut = async () => {
    const { OptedOut } = await import('./do-not-call.ts');
    return new OptedOut({ rows: await rows(), target: target(), systemNow });
  };
  return {
    /** The rows of the register and of the plans. */
    rows,
    /** The register of what was sent to real services. */
    open,
    /** Which service is meant. */
    target,
    /** Those who opted out of the calls of the service, or of the local engine's store. */
    optedOut,
    /** Throws UsageError if a real service was, or may have been, sent the same before. */
    async requireNew(sent: Sent, sending: Sending) {
      const { requireNew } = await import('./guards.ts');
      return requireNew(sent, await recording(), sending);
    },
    /** The contacts of a campaign that were not sent to a real service before, and how many others were left out. */
    async withoutSent(request: RequestOf<'createCampaign'>) {
      const { withoutSent } = await import('./guards.ts');
      return withoutSent(request, await recording());
    },
    /**
     * The same service, which calls nobody who opted out; the calls and campaigns of a real one are checked against the
     * register and written to it.
     */
    guarded(service: Service, sending: Sending): Service {
      return ringing(service, async (sent, send) => {
        const { heeding, placedBy, recorded } = await import('./guards.ts');
        const reply = target().isLocal
          ? await heeding(sent, send, await optedOut(), sending)
          : await recorded(sent, send, await recording(), sending);
        onPlaced(placedBy(sent, reply, sending.plan));
        return reply;
      });
    },
  };
}
