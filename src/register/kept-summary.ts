/**
 * What came of a campaign that is over, kept beside its contacts, so that nobody reads its calls again to list it. Counts alone: it
 * holds nothing about a person, and is lost without harm.
 */
import { join } from 'node:path';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { readText } from '../files/open.ts';
import { replaceFile } from '../files/replace.ts';
import { contactsFolder } from './kept-contacts.ts';

export interface KeptSummary {
  /** When the campaign was sent, as the register has it: a summary of another campaign is ignored. */
  sent_at: string;
  /** When it was seen to be over. Times are ISO 8601, UTC. */
  at: string;
  contacts: number;
  /** Contacts in each state. */
  states: Record<string, number>;
  attempts: number;
  ambiguous: number;
  first_call: string | null;
  last_call: string | null;
}

function summaryPath(folder: string, entry: number): string {
  return join(contactsFolder(folder), `${entry}.summary.json`);
}

/** Only saves time: a failure changes nothing. */
export function keepSummary(fs: FileSystem, folder: string, entry: number, summary: KeptSummary): void {
  quietly(() => replaceFile(fs, summaryPath(folder, entry), `${JSON.stringify(summary)}\n`));
}

/** Undefined if there is none, or it is damaged, or of another campaign. */
export function readSummary(fs: FileSystem, folder: string, entry: number, sentAt: string): KeptSummary | undefined {
  try {
    const summary: Partial<KeptSummary> = JSON.parse(readText(fs, summaryPath(folder, entry)));
    const { states, attempts, at, first_call, last_call } = summary;
    const isSound = typeof states === 'object' && states !== null && typeof attempts === 'number';
    const areTimes = [at, first_call ?? at, last_call ?? at].every((time) => !Number.isNaN(Date.parse(String(time))));
    return isSound && areTimes && summary.sent_at === sentAt ? (summary as KeptSummary) : undefined;
  } catch {
    return undefined;
  }
}
