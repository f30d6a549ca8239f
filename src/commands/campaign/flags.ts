/** What `campaign create` and `campaign rehearse` share: the flags that describe a campaign, and reading them. */
import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { duration, filled, identifier, integerFrom, phoneNumber } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import {
  type Contact,
  DEFAULT_CALLS_PER_HOUR,
  DEFAULT_RETRY_ATTEMPTS,
  DEFAULT_RETRY_DELAY,
  type RequestOf,
} from '../../contract.ts';
import { InputError } from '../../errors.ts';
import { sourceName } from '../../io.ts';
import { complete, type Question } from '../../prompt.ts';
import { parseTime } from '../../time.ts';
import {
  addContactFlags,
  type ContactOptions,
  type ContactsFile,
  checkContactsFile,
  unusableRows,
} from '../contacts/flags.ts';
import { noteReport } from '../contacts/show.ts';

export interface CampaignOptions extends ContactOptions {
  name?: string;
  agent?: number;
  from?: string;
  contacts?: string;
  start?: string;
  timezone?: string;
  callsPerHour?: number;
  retryAttempts?: number;
  retryDelay?: number;
}

export function addCampaignFlags(command: Command): Command {
  command
    .option('--name <text>', "the campaign's name", filled)
    .option('--agent <id>', 'agent that calls (vagent agent list)', identifier)
    .option('--from <number>', "one of the organization's agent numbers", phoneNumber)
    .option('--contacts <file>', 'CSV of contacts, or - for standard input', filled)
    .option('--start <time>', 'when to start (default now): an ISO 8601 time, or +2h')
    .option('--timezone <name>', 'IANA zone of a --start without an offset', filled)
    .option('--calls-per-hour <n>', `pace (default ${DEFAULT_CALLS_PER_HOUR})`, integerFrom(1))
    .option('--retry-attempts <n>', `retries of a failed call (default ${DEFAULT_RETRY_ATTEMPTS})`, integerFrom(0))
    .option('--retry-delay <duration>', `time between retries (default ${DEFAULT_RETRY_DELAY}s)`, duration);
  return addContactFlags(command);
}

export interface Campaign {
  request: RequestOf<'createCampaign'>;
  /** As it was named, and the SHA-256 of its bytes; where a real service is meant. */
  contactsFile: { name: string; sha256: string } | undefined;
}

/** What the two commands do not share. */
interface Reading {
  askAgent: Question<number>;
  /** Milliseconds, by the clock that will run the campaign. */
  now: () => Promise<number>;
}

/** The campaign that the flags describe, missing ones asked for, every contact checked. */
export async function readCampaign(
  options: CampaignOptions,
  context: Context,
  { askAgent, now }: Reading,
): Promise<Campaign> {
  const { io, settings } = context;
  const { name, agent, from, contacts } = await complete(
    io,
    {
      name: options.name,
      agent: options.agent ?? settings.profile?.agent_id,
      from: options.from ?? settings.profile?.from,
      contacts: options.contacts,
    },
    {
      name: { flag: '--name', message: 'Name of the campaign', parse: filled },
      agent: askAgent,
      from: { flag: '--from', message: 'Number to call from', parse: phoneNumber },
      contacts: { flag: '--contacts', message: 'CSV of contacts', parse: filled },
    },
  );
  // By its bytes a file that was sent to a real service is known again.
  const sha256 = context.isRemote ? createHash('sha256') : undefined;
  const request = {
    campaign_name: name,
    agent_id: agent,
    call_from: from,
    contacts: await readContacts({ path: contacts, flag: '--contacts', sha256 }, options, context),
    start_time: await readStart(options, now),
    calls_per_hour: options.callsPerHour,
    retry_attempts: options.retryAttempts,
    retry_delay: options.retryDelay,
  };
  return { request, contactsFile: sha256 && { name: contacts, sha256: sha256.digest('hex') } };
}

/** Every contact that may be called. Throws InputError where a row cannot be used, or none is left. */
async function readContacts(file: ContactsFile, options: CampaignOptions, context: Context): Promise<Contact[]> {
  const contacts: Contact[] = [];
  const source = sourceName(file.path);
  const report = await checkContactsFile(file, options, context, (contact) => contacts.push(contact));
  const unusable = unusableRows(report, options);
  if (unusable > 0) {
    throw new InputError(`${source}: ${unusable} of ${report.rows} rows cannot be used; nothing was sent.`, {
      hint: 'vagent contacts check, with the same flags, tells how to mend each; --skip-invalid leaves them out.',
      issues: report.problems.map(({ line, message }) => ({ field: `line ${line}`, message })),
    });
  }
  noteReport(report, file, context.io);
  if (contacts.length > 0) return contacts;
  throw new InputError(`${source}: none of ${report.rows} rows is left to be called.`);
}

/** In UTC with `Z`, as it is sent. Throws InputError where the time has passed or nobody said in which zone it is. */
async function readStart({ start, timezone }: CampaignOptions, clock: Reading['now']): Promise<string | undefined> {
  if (start === undefined) return undefined;
  const now = await clock();
  const instant = await parseTime(start, { now, timezone, flag: '--start' });
  if (instant < now) {
    throw new InputError(`--start ${start} has passed.`, { hint: 'Leave --start out to begin now.' });
  }
  return new Date(instant).toISOString();
}
