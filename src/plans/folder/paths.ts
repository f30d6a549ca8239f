/** Where the files of plans are. */
import { join } from 'node:path';

/** Holds a folder for each plan, named by its number. */
export function plansFolder(stateFolder: string): string {
  return join(stateFolder, 'plans');
}

export class PlanPaths {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  static of(stateFolder: string, planId: number): PlanPaths {
    return new PlanPaths(join(plansFolder(stateFolder), String(planId)));
  }

  /** What the plan is and where it stands; one rename commits a change. */
  get root(): string {
    return join(this.folder, 'plan.json');
  }

  /** The contacts as they will be sent, a JSON line each; written once. */
  get contacts(): string {
    return join(this.folder, 'contacts.jsonl');
  }

  /** The original rows of the contacts, if they were kept; written once. */
  get rows(): string {
    return join(this.folder, 'rows.jsonl');
  }

  /** The part of the roster that never changes, and where each contact's line begins; written once. */
  get fixed(): string {
    return join(this.folder, 'contacts.bin');
  }

  /** The contacts' records, changed in place. */
  get records(): string {
    return join(this.folder, 'states.bin');
  }

  /** The records of the last change, for when it was cut off while it wrote them in place. */
  get changed(): string {
    return join(this.folder, 'changed.bin');
  }

  /** What happened, a JSON line each; only ever appended to. */
  get journal(): string {
    return join(this.folder, 'journal.jsonl');
  }

  /** How far the call log was read; written by each run. */
  get log(): string {
    return join(this.folder, 'log.json');
  }

  /** Whose the latest entries of the log were found to be; written by each run. */
  get told(): string {
    return join(this.folder, 'told.json');
  }

  /** When somebody was last told that the plan calls nobody until they have looked. */
  get halt(): string {
    return join(this.folder, 'halt.json');
  }

  /** Somebody wants the plan to stop. */
  get stop(): string {
    return join(this.folder, 'stop.json');
  }

  /** The plan is forgotten: what else is in the folder waits to be removed. */
  get forgotten(): string {
    return join(this.folder, 'forgotten');
  }

  get lock(): string {
    return join(this.folder, 'lock');
  }
}
