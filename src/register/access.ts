/** A command's access to the register. */
import type { Rows } from '../storage/database/sql.ts';
import type { Notes } from '../text/notes.ts';
import type { Target } from './do-not-call.ts';
import type { Recording } from './guards.ts';
import type { PlacedRequest } from './placed-request.ts';
import type { RegisterAccess } from './ports.ts';
import { ringing } from './requests.ts';

interface AccessParts {
  notes: Notes;
  rows: () => Promise<Rows>;
  systemNow: () => number;
  target: () => Target;
  /** Milliseconds by which the service's clock was ahead of this machine's at its last answer; undefined if none had a date. */
  clockAhead: () => number | undefined;
  /** Called for each call that was placed, and each campaign that was created. */
  onPlaced: (placed: PlacedRequest) => void;
}

/** Loads the register only when something is sent: reading calls does not need it. */
export function registerAccess(parts: AccessParts): RegisterAccess {
  const { notes, rows, systemNow, target, clockAhead, onPlaced } = parts;
  const open = async () => {
    const { Register } = await import('./register.ts');
    return new Register({ rows: await rows(), systemNow });
  };
  const recording = async (): Promise<Recording> => {
    const { operator } = await import('./open-rows.ts');
    const { service, organizationId } = target();
    const parts = { register: await open(), optedOut: await optedOut(), service, organizationId };
    return { ...parts, by: operator(), clockAhead, ...notes };
  };
  const optedOut = async () => {
    const { OptedOut } = await import('./do-not-call.ts');
    return new OptedOut({ rows: await rows(), target: target(), systemNow });
  };
  return {
    rows,
    open,
    target,
    optedOut,
    async requireNew(sent, sending) {
      const { requireNew } = await import('./guards.ts');
      return requireNew(sent, await recording(), sending);
    },
    async withoutSent(request) {
      const { withoutSent } = await import('./guards.ts');
      return withoutSent(request, await recording());
    },
    guarded(service, sending) {
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
