/**
 * Makes a damaged store consistent again with what can be saved of it. Whatever is changed or left out is copied first, into
 * a file beside, and stays there; the root is written last, so that a repair that is cut off can be done again.
 */
import { join } from 'node:path';
import { type Campaign, DEFAULT_SEED, initialState } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import { Appender, type FileSystem, fileError, syncFolder, writeFully } from '../../files.ts';
import { type LockOptions, withLock } from '../../lock.ts';
import { segmentPath } from '../call-log.ts';
import { campaignFolder } from '../queues.ts';
import { LOCK_NAME, newRoot, ROOT_NAME, type Root, type Segment, writeRoot } from '../root.ts';
import { type CampaignFindings, dueOf } from './campaigns.ts';
import {
  CAMPAIGN_NAME,
  checkAgainst,
  checkStore,
  type Findings,
  SEGMENT_NAME,
  SET_ASIDE,
  storeNames,
} from './check.ts';
import { type InspectionOptions, sizeOf } from './inspection.ts';
import { suspectLines } from './suspect-lines.ts';

export interface RepairOptions extends InspectionOptions, LockOptions {
  /** The system's time in milliseconds since the epoch. */
  systemNow(): number;
}

export interface Repair {
  /** What was found before. */
  before: Findings;
  after: Findings;
  /** Files that hold what was there before, named from the store's folder. */
  setAside: string[];
  /** What became of the store, a sentence each. */
  sentences: string[];
}

/** Repairs the store under its lock; one that is sound is not touched. Throws FileError where it cannot be repaired. */
export async function repairStore(options: RepairOptions): Promise<Repair> {
  const { fs, folder } = options;
  const before = await checkStore(options);
  if (before.problemCount === 0) return { before, after: before, setAside: [], sentences: [] };
  try {
    return await withLock(fs, join(folder, LOCK_NAME), options, () => repairLocked(options));
  } catch (error) {
    throw fileError(error, 'repair the store at', folder, 'Nothing is lost: repair it again once that is mended.');
  }
}

async function repairLocked(options: RepairOptions): Promise<Repair> {
  const { fs, folder } = options;
  // Again, now that nobody else writes.
  const before = await checkStore(options);
  const isRootLost = before.rootFault !== undefined;
  const found = isRootLost ? await checkAgainst(options, rootOnDisk(fs, folder)) : before;
  const root = isRootLost ? rebuiltRoot(options, found) : repairedRoot(found);

  const damagedFiles = filesToRewrite(found);
  const setAside = [ROOT_NAME, ...damagedFiles.map(({ name }) => name)].map((name) => setAsideCopy(fs, folder, name));
  for (const { name, expected, broken } of damagedFiles) rewrite(fs, join(folder, name), expected.bytes, broken);
  writeRoot(fs, folder, `${JSON.stringify(root)}\n`);

  const after = await checkStore(options);
  if (after.problemCount > 0) {
    const [first] = after.problems;
    throw new FileError(`The store at ${folder} is still damaged: ${first?.file} ${first?.message}.`, {
      code: 'store_damaged',
    });
  }
  const sentences = isRootLost ? rebuildSentences(fs, folder, after) : lossSentences(before);
  return { before, after, setAside, sentences };
}

/** The files of which a part cannot be kept. */
function filesToRewrite({ segments, campaigns }: Findings) {
  const queues = campaigns.flatMap(({ contacts, retries }) => [contacts, retries]);
  return [...segments, ...queues].filter(({ broken }) => broken.size > 0);
}

/** The root as it is true of the sound lines. */
function repairedRoot({ root, segments, campaigns }: Findings): Root {
  const repaired = structuredClone(root as Root);
  // Whoever is reading a page just now must not trust it.
  repaired.resets++;
  repaired.segments = kept(segments);
  repaired.state.campaigns = campaigns.map(repairedCampaign);
  repaired.queues = campaigns.map(({ campaign, contacts, retries }) => ({
    campaign_id: campaign.campaign_id,
    contacts: contacts.found,
    retries: retries.found,
  }));
  return repaired;
}

function kept(segments: Findings['segments']): Segment[] {
  return segments.map(({ found }) => found).filter(({ count }) => count > 0);
}

/** A contact that is lost was never there; one whose retry is lost has had its last attempt. */
function repairedCampaign({ campaign, canCall, contacts, retries }: CampaignFindings): Campaign {
  const next_contact = Math.max(campaign.next_contact, retries.left);
  const reached = Math.min(campaign.reached, next_contact - retries.left);
  const repaired = {
    ...campaign,
    total_contacts: next_contact + contacts.left,
    next_contact,
    retries_waiting: retries.left,
    retry_due: dueOf(retries),
    reached,
    exhausted: next_contact - reached - retries.left,
  };
  const isDone = contacts.left === 0 && retries.left === 0;
  if (isDone) return { ...repaired, status: 'completed', reason: null };
  return canCall ? repaired : { ...repaired, status: 'paused', reason: 'agent_not_active' };
}

/** A root that names every segment on disk and trusts nothing they say. */
function rootOnDisk(fs: FileSystem, folder: string): Root {
  const root = newRoot(initialState({ seed: DEFAULT_SEED, now: 0, empty: true }));
  root.state.next_call_number = Number.MAX_SAFE_INTEGER;
  root.state.clock.last = Number.MAX_SAFE_INTEGER;
  root.segments = segmentsOnDisk(fs, folder).map((seq) => {
    const bytes = sizeOf(fs, join(folder, segmentPath('', seq))) ?? 0;
    return { seq, count: 0, bytes, first: '', last: '', by_agent: {} };
  });
  return root;
}

/** Their numbers, rising. */
function segmentsOnDisk(fs: FileSystem, folder: string): number[] {
  const { calls } = storeNames(fs, folder);
  const seqs = calls.filter((name) => SEGMENT_NAME.test(name)).map((name) => Number.parseInt(name, 10));
  return [...new Set(seqs)].sort((a, b) => a - b);
}

/**
 * The root of a new demo organization with the calls that were found. No number that may have been given already is given
 * again, no folder of a campaign used again, and the clock goes on where the calls end.
 */
function rebuiltRoot({ fs, folder, systemNow }: RepairOptions, { segments, newest }: Findings): Root {
  const now = systemNow();
  const root = newRoot(initialState({ seed: DEFAULT_SEED, now, empty: false }));
  const { state } = root;
  root.segments = kept(segments);
  const lastCall = Date.parse(root.segments.at(-1)?.last ?? '') || now;
  state.clock = { offset: Math.max(0, lastCall - now), last: Math.max(now, lastCall) };
  state.next_call_number = newest + lostAtTheEnd(segments) + 1;
  const agents = root.segments.flatMap(({ by_agent }) => Object.keys(by_agent).map(Number));
  state.next_agent_id = agents.reduce((next, id) => Math.max(next, id + 1), state.next_agent_id);
  state.next_campaign_id = campaignsOnDisk(fs, folder).reduce((next, id) => Math.max(next, id + 1), 1);
  return root;
}

/** How many broken lines come after the last sound one: calls of numbers that were given. */
function lostAtTheEnd(segments: Findings['segments']): number {
  let lost = 0;
  for (const { broken, lines } of segments.toReversed()) {
    let line = lines;
    while (broken.has(line)) line--;
    lost += lines - line;
    if (line > 0) break;
  }
  return lost;
}

/** Their numbers, rising. */
function campaignsOnDisk(fs: FileSystem, folder: string): number[] {
  const { campaigns } = storeNames(fs, folder);
  return campaigns
    .filter((name) => CAMPAIGN_NAME.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Copies a file beside itself, whatever it holds, and returns the copy's name; of no file the copy is empty. */
function setAsideCopy(fs: FileSystem, folder: string, file: string): string {
  let number = 1;
  while (sizeOf(fs, join(folder, `${file}${SET_ASIDE}${number}`)) !== undefined) number++;
  const copy = `${file}${SET_ASIDE}${number}`;
  const path = join(folder, file);
  const fd = fs.openSync(join(folder, copy), 'wx', 0o600);
  try {
    if (sizeOf(fs, path) !== undefined) copyBytes(fs, path, fd);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.rmSync(join(folder, copy), { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
  syncFolder(fs, join(folder, copy, '..'));
  return copy;
}

const COPY_BYTES = 1 << 20;

function copyBytes(fs: FileSystem, from: string, to: number): void {
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  const fd = fs.openSync(from, 'r');
  try {
    let position = 0;
    for (let read = fs.readSync(fd, buffer, 0, COPY_BYTES, 0); read > 0; ) {
      writeFully(fs, to, buffer.subarray(0, read), position);
      position += read;
      read = fs.readSync(fd, buffer, 0, COPY_BYTES, position);
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Replaces a file by its sound lines. */
function rewrite(fs: FileSystem, path: string, bytes: number, broken: Set<number>): void {
  const beside = `${path}.new`;
  const file = new Appender(fs, beside, 0);
  try {
    for (const { number, text } of suspectLines(fs, path, bytes)) if (!broken.has(number)) file.append(`${text}\n`);
    file.finish();
  } catch (error) {
    file.abandon();
    fs.rmSync(beside, { force: true });
    throw error;
  }
  fs.renameSync(beside, path);
  syncFolder(fs, join(path, '..'));
}

/** What could not be saved of a store whose root was sound. */
function lossSentences({ segments, campaigns }: Findings): string[] {
  const lost = segments.reduce((total, { expected, found }) => total + Math.max(0, expected.count - found.count), 0);
  const sentences = lost > 0 ? [`${plural(lost, 'call')} could not be saved.`] : [];
  for (const { campaign, contacts, retries } of campaigns) {
    const lostContacts = campaign.total_contacts - campaign.next_contact - contacts.left;
    const lostRetries = campaign.retries_waiting - retries.left;
    const name = `campaign ${campaign.campaign_id}`;
    if (lostContacts > 0) sentences.push(`${plural(lostContacts, 'contact')} of ${name} could not be saved.`);
    if (lostRetries > 0) {
      const contactsOf = plural(lostRetries, 'contact');
      sentences.push(`${contactsOf} of ${name} will not be tried again: the retry could not be saved.`);
    }
  }
  return sentences;
}

function rebuildSentences(fs: FileSystem, folder: string, { calls }: Findings): string[] {
  const folders = campaignsOnDisk(fs, folder).map((id) => campaignFolder('', id));
  return [
    `A new ${ROOT_NAME} holds the demo organization and the ${plural(calls, 'call')} found in the log.`,
    'The seed, the clock, the wallet, numbers, agents, campaigns and the scenario of before are no longer in effect.',
    ...(folders.length === 0 ? [] : [`Left as they are, and no longer run: ${folders.join(', ')}.`]),
  ];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
