import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { DEFAULT_CALLS_PER_HOUR, DEFAULT_RETRY_ATTEMPTS, DEFAULT_RETRY_DELAY } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { integerFrom } from '../../flags/values.ts';
import { type UnendedPlans, unendedPlans } from '../../plans/rows/plans.ts';
import { isRefused, type Past, type SentCampaign } from '../../register/requests.ts';
import { printRecord } from '../../terminal/output.ts';
import { localTime } from '../../text/time.ts';
import { requireConsent } from '../shared/consent.ts';
import { type CampaignWord, campaignWord } from '../shared/pick-campaign.ts';
import { findRegistered } from './shared/find-registered.ts';

interface Options {
  keepDays?: number;
  force?: true;
}

const DAY = 86_400_000;
const HOUR = 3_600_000;
const SECOND = 1000;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Removes what this machine keeps of the people: numbers, texts, identifiers, the rows of the file, and lists made to call them
again. That something was sent, when, by whom, how many and with what outcome stays in the register, and campaign list shows
it. Two things are lost: results can no longer be worked out, and these numbers are no longer known as called before, so
that another campaign to them is not refused. The service still has its calls; nothing is asked of it.

With --keep-days, that is done for every campaign and every call, to all services, that is older. A campaign of unknown
outcome, one that may still be calling, or a wave of a plan that is not over, is kept without --force, and so is a call of
unknown outcome.`,
    examples: ['vagent campaign forget --keep-days 90 --yes', 'vagent campaign forget Spring --force --yes'],
    exits: EXITS.offline,
  });
  command
    .argument('[campaign]', 'its id or name', campaignWord)
    .option('--keep-days <n>', 'forget everything that was sent more than n days ago', integerFrom(0))
    .option('--force', 'even if the outcome is unknown, its plan is not over, or calls may still be made')
    .action((word: CampaignWord | undefined, options: Options) => run(word, options, context));
}

export async function run(word: CampaignWord | undefined, options: Options, context: Context): Promise<void> {
  if (!context.settings.isRemote()) {
    throw new UsageError('The local engine has no register: it keeps its campaigns until its store is reset.', {
      hint: 'vagent local reset',
    });
  }
  if (word !== undefined && options.keepDays !== undefined) {
    throw new UsageError('Name a campaign, or --keep-days for all that is older: not both.');
  }
  context.announceProfile();
  if (options.keepDays !== undefined) return forgetOld(options.keepDays, options, context);
  return forgetOne(word, options, context);
}

async function forgetOne(word: CampaignWord | undefined, { force }: Options, context: Context): Promise<void> {
  const { io, flags, systemNow } = context;
  const register = await context.register.open();
  const found = await findRegistered(word, register, context);
  const { sent, answer } = found;
  const campaign_id = typeof answer?.campaign_id === 'number' ? answer.campaign_id : null;
  const { campaign_name } = sent.request;
  const now = systemNow();
  const unended = await unendedPlans(await context.rows());
  const doubt = whyKept(found, now, unended);
  if (doubt !== undefined && !force) {
    throw new UsageError(
      `${JSON.stringify(campaign_name)} ${doubt}: its numbers are still needed to refuse a second call.`,
      {
        hint: 'To forget it anyway, repeat with --force.',
      },
    );
  }
  const contacts = sent.contacts.count;
  const facts = {
    Campaign: campaign_id === null ? campaign_name : `${campaign_id} ${campaign_name}`,
    Sent: localTime(Date.parse(sent.at)),
    Contacts: contacts,
    Removed: 'numbers, texts, identifiers and original rows, on this machine',
    Lost: 'results, and the guard: these numbers count as never called by it',
  };
  await requireYes('Forget whom it called?', facts, context);
  await register.forget(
    (request) => request.sent.entry === sent.entry && (force === true || whyKept(request, now, unended) === undefined),
  );
  await printRecord(io, flags, { campaign_id, campaign_name, contacts, forgotten: new Date(now).toISOString() });
}

async function forgetOld(keepDays: number, { force }: Options, context: Context): Promise<void> {
  const { io, flags, systemNow } = context;
  const register = await context.register.open();
  const now = systemNow();
  const unended = await unendedPlans(await context.rows());
  const { requests, damage } = await register.requests();
  if (damage !== undefined) throw damage;
  const old = requests.filter(({ sent: { forgotten, at } }) => {
    return forgotten === undefined && Date.parse(at) < now - keepDays * DAY;
  });
  const chosen = new Set<number>();
  const counts = { campaigns: 0, calls: 0, contacts: 0, kept: 0 };
  for (const request of old) {
    const { sent } = request;
    if (!force && whyKept(request, now, unended) !== undefined) counts.kept++;
    else {
      chosen.add(sent.entry);
      if (sent.operation === 'triggerCall') counts.calls++;
      else {
        counts.campaigns++;
        counts.contacts += sent.contacts.count;
      }
    }
  }
  const { campaigns, calls, contacts, kept } = counts;
  if (chosen.size > 0) {
    const facts = {
      Forget: `${campaigns} campaigns with ${contacts} contacts, and ${calls} calls`,
      'Sent before': localTime(now - keepDays * DAY),
      Removed: 'numbers, texts, identifiers and original rows, on this machine, of all services',
      Lost: 'results, and the guard: these numbers count as never called',
    };
    await requireYes('Forget whom they called?', facts, context);
  }
  await register.forget(({ sent }) => chosen.has(sent.entry));
  if (kept > 0)
    io.note(
      `${kept} kept: of unknown outcome, of a plan that is not over, or calls may still be made. --force forgets them too.`,
    );
  await printRecord(io, flags, { campaigns, calls, contacts, kept });
}

async function requireYes(question: string, facts: Record<string, unknown>, context: Context): Promise<void> {
  if (!context.flags.yes && !context.io.canAsk) {
    throw new UsageError('What is forgotten cannot be brought back: it needs --yes. Nothing was forgotten.');
  }
  const otherwise = 'Nothing was forgotten.';
  await requireConsent({ facts, question, ringsPhones: true, otherwise }, context);
}

/** Why the guards still need a request, completing a sentence about it; undefined if they do not. */
function whyKept(request: Past, now: number, planOf: UnendedPlans): string | undefined {
  if (isRefused(request)) return undefined;
  if (request.outcome !== 'accepted') return 'is of unknown outcome';
  const { sent } = request;
  const plan = sent.operation === 'createCampaign' && sent.plan !== undefined ? planOf(sent.plan) : undefined;
  if (plan !== undefined) return `is a wave of plan ${plan.plan_id}, which is ${plan.state}`;
  return sent.operation === 'createCampaign' && latestCall(sent) > now ? 'may still be calling' : undefined;
}

/** When its last call is placed if nobody is ever reached, or a little later; in milliseconds since the epoch. */
function latestCall({ request, at, contacts }: SentCampaign): number {
  const { start_time = at, calls_per_hour, retry_attempts, retry_delay } = request;
  const retries = retry_attempts ?? DEFAULT_RETRY_ATTEMPTS;
  const calling = (contacts.count * (1 + retries) * HOUR) / (calls_per_hour ?? DEFAULT_CALLS_PER_HOUR);
  return Date.parse(start_time) + calling + retries * (retry_delay ?? DEFAULT_RETRY_DELAY) * SECOND;
}
