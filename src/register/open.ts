/** The register of this machine, with everything needed to send requests to a service through it. */
import { hostname, userInfo } from 'node:os';
import { systemFiles } from '../files/file-system.ts';
import type { Messages, Recording } from './recorded.ts';
import { Register } from './register.ts';

export interface RegisterParts {
  messages: Messages;
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
  clockAhead: () => number | undefined;
}

export function openRegister({ messages, ...parts }: RegisterParts): Register {
  return new Register({ fs: systemFiles, ...parts, warn: messages.warn });
}

export function openRecording({ service, organizationId, clockAhead, ...parts }: RecordingParts): Recording {
  return { register: openRegister(parts), service, organizationId, by: operator(), clockAhead, ...parts.messages };
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
