/**
 * What the library is handed to work with. Nothing of it knows of a flag or a terminal; whoever uses the library brings
 * its own.
 */
import type { Contact, RequestOf, Sent, Service } from '../contract.ts';
import type { LocalEngine } from '../local/open.ts';
import type { Rows } from '../storage/database/sql.ts';
import type { Notes } from '../text/notes.ts';
import type { OptedOut, Target } from './do-not-call.ts';
import type { LeftOut, Sending } from './guards.ts';
import type { RedialledCampaign } from './redials.ts';
import type { Register } from './register.ts';

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

/** It can be read, and prevents that something is sent to a real service twice, and that anybody is called who opted out. */
export interface RegisterAccess {
  /** The rows of the register and of the plans. */
  rows(): Promise<Rows>;
  /** The register of what was sent to real services. */
  open(): Promise<Register>;
  /** Which service is meant. */
  target(): Target;
  /** Those who opted out of the calls of the service, or of the local engine's store. */
  optedOut(): Promise<OptedOut>;
  /** Throws UsageError if a real service was, or may have been, sent the same before. */
  requireNew(sent: Sent, sending: Sending): Promise<{ redialOf: readonly RedialledCampaign[] }>;
  /** The contacts of a campaign that were not sent to a real service before, and how many others were left out. */
  withoutSent(request: RequestOf<'createCampaign'>): Promise<{ contacts: Contact[]; leftOut: LeftOut[] }>;
  /**
   * The same service, which calls nobody who opted out; the calls and campaigns of a real one are checked against the
   * register and written to it.
   */
  guarded(service: Service, sending: Sending): Service;
}
