/**
 * What the library is handed to work with. Nothing of it knows of a flag or a terminal; whoever uses the library brings
 * its own.
 */
import type { Service } from '../contract.ts';
import type { LocalEngine } from '../local/open.ts';
import type { Notes } from '../text/notes.ts';
import type { RegisterAccess } from './access.ts';
import type { Sending } from './guards.ts';

export interface Ports {
  readonly notes: Notes;
  /** Aborts when the work is to end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly services: {
    /**
     * The service that is meant. Nobody who opted out is called by it; requests to a real one pass all guards and are
     * written to the register.
     */
    chosen(sending?: Sending): Promise<Service>;
  };
  readonly local: {
    /** The local engine, even where a remote service is meant. `signal` ends its long work; by default the one above. */
    engine(signal?: AbortSignal): Promise<LocalEngine>;
  };
  /** What must not be forgotten: the requests that were sent, those who opted out, and the plans; of this machine or of several. */
  readonly register: RegisterAccess;
}

/** Milliseconds since the epoch. */
export interface Clock {
  /** This machine's. */
  system(): number;
  /** Of the service that places the calls: the local engine's clock, which may be ahead; this machine's for a remote service. */
  now(): Promise<number>;
  /** A remote service's clock, by the dates of its answers; undefined if none had one. */
  byAnswers(): number | undefined;
}
