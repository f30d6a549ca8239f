/** The register of this machine, with everything needed to send requests to a service through it. */
import { hostname, userInfo } from 'node:os';
import { systemFiles } from '../files/file-system.ts';
import type { GlobalFlags } from '../flags/global.ts';
import type { Io } from '../terminal/io.ts';
import { adviceToLook } from '../terminal/look.ts';
import { localTime } from '../text/time.ts';
import type { SentLine } from './lines.ts';
import type { Recording } from './recorded.ts';
import { Register } from './register.ts';

export interface RegisterParts {
  io: Io;
  folder: string;
  /** Milliseconds since the epoch. */
  systemNow: () => number;
  /** What this process is doing, shown to others who wait for it. */
  command: string;
}

export interface RecordingParts extends RegisterParts {
  /** The service, by its base URL. */
  service: string;
  organizationId: number;
  flags: GlobalFlags;
}

export function openRegister({ io, ...parts }: RegisterParts): Register {
  return new Register({ fs: systemFiles, ...parts, warn: (text) => io.warn(text) });
}

export function openRecording(parts: RecordingParts): Recording {
  const { io, folder, systemNow, command, service, organizationId, flags } = parts;
  return {
    register: openRegister({ io, folder, systemNow, command }),
    service,
    organizationId,
    by: operator(),
    redact: (text) => io.redactor.redact(text),
    note: (text) => io.note(text),
    warn: (text) => io.warn(text),
    localTime: (at) => localTime(Date.parse(at)),
    look(sent) {
      const { organization_id: org } = sent;
      return adviceFor(sent, org === organizationId ? flags : { ...flags, org });
    },
  };
}

/** Advice on finding out the outcome of a register entry. */
function adviceFor(sent: SentLine, flags: GlobalFlags): string {
  const sentAt = Date.parse(sent.at);
  // Advice does not name contacts.
  return sent.operation === 'triggerCall'
    ? adviceToLook('triggerCall', sent.request, sentAt, flags)
    : adviceToLook('createCampaign', { ...sent.request, contacts: [] }, sentAt, flags);
}

/** The person at work: `user@host`. */
function operator(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A user without an account entry, as in a container.
    return hostname();
  }
}
