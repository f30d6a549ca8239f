/** What is sent to real services from here: the register, and what the guards tell the operator of this run. */
import { hostname, userInfo } from 'node:os';
import { lookFirst } from './aftermath.ts';
import type { RequestOf } from './contract.ts';
import { systemFiles } from './files.ts';
import type { Io } from './io.ts';
import type { SentLine } from './register/lines.ts';
import type { Recording } from './register/recorded.ts';
import { Register } from './register/register.ts';
import { localTime } from './time.ts';

export interface RegisterParts {
  io: Io;
  stateFolder: string;
  /** Milliseconds since the epoch. */
  systemNow: () => number;
  commandLine: string;
}

export interface SendingParts extends RegisterParts {
  /** The service, by its base URL. */
  service: string;
  organizationId: number;
  /** The flags that say which service, and which of its organizations, is meant, with a space before each. */
  connection: (organizationId: number) => string;
}

export function openRegister({ io, stateFolder: folder, systemNow, commandLine: command }: RegisterParts): Register {
  return new Register({ fs: systemFiles, folder, systemNow, command, warn: (text) => io.warn(text) });
}

export function recordingOf(parts: SendingParts): Recording {
  const { io, service, organizationId, connection } = parts;
  return {
    register: openRegister(parts),
    service,
    organizationId,
    by: operator(),
    redact: (text) => io.redactor.redact(text),
    warn: (text) => io.warn(text),
    localTime: (at) => localTime(Date.parse(at)),
    look: (sent) => lookFor(sent, connection(sent.organization_id)),
  };
}

/** How to find out what came of an entry of the register. */
function lookFor({ operation, request, at }: SentLine, connection: string): string {
  const aftermath = { sentAt: Date.parse(at), connection };
  return operation === 'trigger-call'
    ? lookFirst('triggerCall', request as RequestOf<'triggerCall'>, aftermath)
    : lookFirst('createCampaign', request as RequestOf<'createCampaign'>, aftermath);
}

/** Who is at work: `user@host`. */
function operator(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A user without an entry of their own, as in a container.
    return hostname();
  }
}
