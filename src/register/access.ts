/**
 * A command's access to the register: it can read it, and it prevents that something is sent to a real service twice, and that anybody
 * is called who opted out.
 */
import type { RequestOf, Service } from '../contract.ts';
import type { Rows } from '../database/sql.ts';
import type { OptedOut } from './opted-out.ts';
import type { Approval, Messages, Recording, Rest, Sending, Sent } from './recorded.ts';
import type { Register } from './register.ts';

export interface RegisterAccess {
  /** The register of what was sent to real services. */
  open(): Promise<Register>;
  /** Throws UsageError if a real service was, or may have been, sent the same before. */
  requireNew(sent: Sent, sending: Sending): Promise<Approval>;
  /** The contacts of a campaign that were not sent to a real service before, and how many others were left out. */
  withoutSent(request: RequestOf<'createCampaign'>): Promise<Rest>;
  /** Those who opted out of the calls of the service, or of the local engine's store. */
  optedOut(): Promise<OptedOut>;
  /**
   * The same service, which calls nobody who opted out; the calls and campaigns of a real one are checked against the register and
   * written to it.
   */
  guarded(service: Service, sending: Sending): Service;
}

export interface AccessParts {
  messages: Messages;
  rows: () => Promise<Rows>;
  systemNow: () => number;
  /** The name of the service in the register, or of the local engine the key of its store; and the organization for the request. */
  target: () => { service: string; isLocal: boolean; organizationId: number };
  /** Milliseconds by which the service's clock was ahead of this machine's at its last answer; undefined if none had a date. */
  clockAhead: () => number | undefined;
}

/** Loads the register only when something is sent: reading calls does not need it. */
export function registerAccess({ messages, rows, systemNow, target, clockAhead }: AccessParts): RegisterAccess {
  const open = async () => {
    const { Register } = await import('./register.ts');
    return new Register({ rows: await rows(), systemNow });
  };
  const recording = async (): Promise<Recording> => {
    const { operator } = await import('./operator.ts');
    const { service, organizationId } = target();
    return { register: await open(), service, organizationId, by: operator(), clockAhead, ...messages };
  };
  const optedOut = async () => {
    const { OptedOut } = await import('./opted-out.ts');
    const where = target();
    const { service, isLocal } = where;
    return new OptedOut({
      ...{ rows: await rows(), service, isLocal, systemNow },
      get organizationId() {
        return where.organizationId;
      },
    });
  };
  return {
    optedOut,
    open,
    async requireNew(sent, sending) {
      const { requireNew } = await import('./recorded.ts');
      return requireNew(sent, await recording(), sending);
    },
    async withoutSent(request) {
      const { withoutSent } = await import('./recorded.ts');
      return withoutSent(request, await recording());
    },
    guarded(service, sending) {
      const registered = async () => {
        if (target().isLocal) {
          const { heeding } = await import('./do-not-call.ts');
          return heeding(service, await optedOut(), sending);
        }
        const { recorded } = await import('./recorded.ts');
        return recorded(service, await recording(), sending);
      };
      return {
        ...service,
        triggerCall: async (request) => (await registered()).triggerCall(request),
        createCampaign: async (request) => (await registered()).createCampaign(request),
      };
    },
  };
}
