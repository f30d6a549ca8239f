/**
 * Makes a damaged store consistent again and saves what it can. Everything that is changed or left out is first copied into
 * another file, which stays there. The root is written last, so that an interrupted repair can be repeated.
 */
import { join } from 'node:path';
import { FileError } from '../../../errors.ts';
import { fileError } from '../../../files/file-error.ts';
import type { FileSystem } from '../../../files/file-system.ts';
import { type LockOptions, withLock } from '../../../files/lock.ts';
import type { RepairOptions } from '../../store.ts';
import { campaignFolder } from '../queues.ts';
import { LOCK_NAME, ROOT_NAME, type Root, rootFlaws, rootText, writeRoot } from '../root.ts';
import { checkAgainst, checkStore, type Findings } from './check-store.ts';
import type { InspectionOptions } from './inspection.ts';
import { campaignsOnDisk } from './names.ts';
import { rebuiltRoot, repairedRoot, rootOnDisk } from './repaired-root.ts';
import { rewrite, setAsideCopy } from './set-aside.ts';

interface Options extends InspectionOptions, RepairOptions, LockOptions {
  /** The id of a demo agent, if one is needed; by default that of the first organization. */
  newDemoAgent?: () => Promise<number>;
}

export interface Repair {
  /** The findings before the repair. */
  before: Findings;
  after: Findings;
  /** Files with the content before the repair, named from the store's folder. */
  setAside: string[];
  /** What happened to the store, one sentence each. */
  sentences: string[];
}

/** Repairs the store under its lock; a sound store is not touched. Throws FileError if it cannot be repaired. */
export async function repairStore(options: Options): Promise<Repair> {
  const { fs, folder } = options;
  const before = await checkStore(options);
  if (before.problemCount === 0) return { before, after: before, setAside: [], sentences: [] };
  try {
    return await withLock(fs, join(folder, LOCK_NAME), options, () => repairLocked(options));
  } catch (error) {
    throw fileError(error, 'repair the store at', folder, 'Nothing is lost: repair it again once that is fixed.');
  }
}

async function repairLocked(options: Options): Promise<Repair> {
  const { fs, folder } = options;
  // Checked again, now that nobody else writes.
  const before = await checkStore(options);
  const isRootLost = before.rootDamage !== undefined;
  const found = isRootLost ? await checkAgainst(options, rootOnDisk(options)) : before;
  const root = isRootLost
    ? rebuiltRoot(options, { systemNow: options.systemNow(), demoAgentId: await options.newDemoAgent?.() }, found)
    : repairedRoot(options.systemNow(), options.organizationId, found);

  requireRepairable(root);

  const damagedFiles = filesToRewrite(found);
  const damagedRows = found.campaigns.flatMap(({ damagedRows: name }) => (name === undefined ? [] : [name]));
  const setAside = [ROOT_NAME, ...damagedFiles.map(({ name }) => name), ...damagedRows].map((name) =>
    setAsideCopy(fs, folder, name),
  );
  for (const { name, expected, broken } of damagedFiles) rewrite(fs, join(folder, name), expected.bytes, broken);
  for (const name of damagedRows) fs.rmSync(join(folder, name), { force: true });
  writeRoot(fs, folder, rootText(root));

  const after = await checkStore(options);
  if (after.problemCount > 0) {
    const [first] = after.problems;
    throw new FileError(`The store at ${folder} is still damaged: ${first?.file} ${first?.message}.`, {
      code: 'store_damaged',
    });
  }
  const sentences = isRootLost ? rebuildSentences(fs, folder, after) : lossSentences(before);
  if (before.hasNoTimes) sentences.push(`The clock goes on from ${new Date(root.state.clock.last).toISOString()}.`);
  return { before, after, setAside, sentences };
}

/** What was changed by hand, and nothing else says how it was, is corrected by hand. */
function requireRepairable(root: Root): void {
  const [flaw] = rootFlaws(root);
  if (flaw === undefined) return;
  throw new FileError(`This cannot be repaired: ${ROOT_NAME} ${flaw}.`, {
    code: 'store_damaged',
    hint: 'Nothing was changed. Correct it by hand, or put back a copy.',
  });
}

/** The files that have parts that cannot be kept. */
function filesToRewrite({ segments, campaigns }: Findings) {
  const queues = campaigns.flatMap(({ contacts, retries }) => [contacts, retries]);
  return [...segments, ...queues].filter(({ broken }) => broken.size > 0);
}

/** What could not be saved of a store whose root was sound. */
function lossSentences({ segments, campaigns }: Findings): string[] {
  const lost = segments.reduce((total, { expected, found }) => total + Math.max(0, expected.count - found.count), 0);
  const sentences = lost > 0 ? [`${plural(lost, 'call')} could not be saved.`] : [];
  for (const { campaign, contacts, retries, damagedRows } of campaigns) {
    if (damagedRows !== undefined)
      sentences.push(`The original rows of campaign ${campaign.campaign_id} could not be saved.`);
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
