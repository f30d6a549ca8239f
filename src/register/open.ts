/** The register, with everything needed to send requests to a service through it. */
import type { StateFolder } from '../state/state-folder.ts';
import { operator } from './operator.ts';
import type { Messages, Recording } from './recorded.ts';
import { Register } from './register.ts';

export interface RegisterParts {
  messages: Messages;
  state: () => Promise<StateFolder>;
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

/** With what other machines recorded until now. Throws FileErrors. */
export async function openRegister(parts: RegisterParts): Promise<Register> {
  const state = await parts.state();
  await state.refresh('register');
  return registerIn(state, parts);
}

/** As it is in the folder now. */
export function registerIn(state: StateFolder, { messages, systemNow, command }: RegisterParts): Register {
  return new Register({ state, systemNow, command, warn: messages.warn });
}

export async function openRecording(recording: RecordingParts): Promise<Recording> {
  const { service, organizationId, clockAhead, ...parts } = recording;
  return {
    register: await openRegister(parts),
    service,
    organizationId,
    by: operator(),
    clockAhead,
    ...parts.messages,
  };
}
