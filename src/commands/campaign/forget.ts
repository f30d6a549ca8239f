import { connectionFlags } from '../../cli/flags/global.ts';
import { integerFrom } from '../../cli/flags/values.ts';
import { printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { type Forgetting, forgettableBefore, requireForgettable } from '../../plans/rows/forget.ts';
import type { Register } from '../../register/register.ts';
import { isCampaign, type Past, type SentCampaign } from '../../register/requests.ts';
import { isoTime } from '../../text/iso.ts';
import { counted } from '../../text/numbers.ts';
import { localTime } from '../../text/time.ts';
import { DAY } from '../../text/units.ts';
import type { CommandModule } from '../shared/command.ts';
import { requireForgetting } from '../shared/consent.ts';
import { findNamed } from '../shared/find-campaign.ts';
import { idOrName, type Word } from '../shared/pick.ts';

interface Options {
  keepDays?: number;
  force?: true;
}

export const command: CommandModule = {
  notes: `
Removes what this machine keeps of the people: numbers, texts, identifiers, the rows of the file, and lists made to call them
again. That something was sent, when, by whom, how many and with what outcome stays in the register, and campaign list shows
it. Two things are lost: results can no longer be worked out, and these numbers are no longer known as called before, so
that another campaign to them is not refused. The service still has its calls; nothing is asked of it.

With --keep-days, that is done for every campaign and every call, to all services, that is older. A campaign of unknown
outcome, one that may still be calling, or a wave of a plan that is not over, is kept without --force, and so is a call of
unknown outcome.`,
  examples: ['vagent campaign forget --keep-days 90 --yes', 'vagent campaign forget Spring --force --yes'],
  exits: 'offline',
  takes: (command) =>
    command
      .argument('[campaign]', 'its id or name', idOrName)
      .option('--keep-days <n>', 'forget everything that was sent more than n days ago', integerFrom(0))
      .option('--force', 'even if the outcome is unknown, its plan is not over, or calls may still be made'),
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  if (!context.settings.isRemote()) {
    throw new UsageError('The simulator has no register: it keeps its campaigns until its store is reset.', {
      hint: `vagent local reset${connectionFlags(context.flags)}`,
    });
  }
  if (word !== undefined && options.keepDays !== undefined) {
    throw new UsageError('Name a campaign, or --keep-days for all that is older: not both.');
  }
  context.services.announce();
  if (options.keepDays !== undefined) return forgetOld(options.keepDays, options, context);
  return forgetOne(word, options, context);
}

async function forgetOne(word: Word | undefined, { force }: Options, context: Context): Promise<void> {
  const forgetting = await forgettingBy(force, context);
  const { register, now } = forgetting;
  const found = await findRegistered(word, register, context);
  const { sent, answer } = found;
  const campaign_id = typeof answer?.campaign_id === 'number' ? answer.campaign_id : null;
  const { campaign_name } = sent.request;
  await requireForgettable(found, JSON.stringify(campaign_name), forgetting);
  const contacts = sent.contacts.count;
  const facts = {
    Campaign: campaign_id === null ? campaign_name : `${campaign_id} ${campaign_name}`,
    Sent: localTime(Date.parse(sent.at)),
    Contacts: contacts,
    Removed: 'numbers, texts, identifiers and original rows, on this machine',
    Lost: 'results; and these numbers count as never called by it',
  };
  await requireForgetting('Forget whom it called?', facts, context);
  await register.forget((request) => request.sent.entry === sent.entry);
  await printRecord(context, { campaign_id, campaign_name, contacts, forgotten: isoTime(now) });
}

async function forgetOld(keepDays: number, { force }: Options, context: Context): Promise<void> {
  const { io } = context;
  const forgetting = await forgettingBy(force, context);
  const before = forgetting.now - keepDays * DAY;
  const { requests, kept } = await forgettableBefore(before, forgetting);
  const sent = requests.filter(isCampaign);
  const campaigns = sent.length;
  const calls = requests.length - campaigns;
  const contacts = sent.reduce((sum, one) => sum + one.sent.contacts.count, 0);
  if (requests.length > 0) {
    const facts = {
      Forget: `${counted(campaigns, 'campaign')} with ${counted(contacts, 'contact')}, and ${counted(calls, 'call')}`,
      'Sent before': localTime(before),
      Removed: 'numbers, texts, identifiers and original rows, on this machine, of all services',
      Lost: 'results; and these numbers count as never called',
    };
    await requireForgetting('Forget whom they called?', facts, context);
  }
  const entries = new Set(requests.map((one) => one.sent.entry));
  await forgetting.register.forget((request) => entries.has(request.sent.entry));
  if (kept > 0)
    io.note(
      `${kept} kept: of unknown outcome, of a plan that is not over, or calls may still be made. --force forgets them too.`,
    );
  await printRecord(context, { campaigns, calls, contacts, kept });
}

async function forgettingBy(force: true | undefined, { register, clock }: Context): Promise<Forgetting> {
  const now = clock.system();
  return { rows: await register.rows(), register: await register.open(), now, isForced: force === true };
}

/**
 * A campaign that was sent to a real service, also one of unknown outcome. Throws NotFoundError, UsageError, and the error of a row
 * that cannot be read.
 */
async function findRegistered(
  word: Word | undefined,
  register: Register,
  context: Context,
): Promise<Past<SentCampaign>> {
  const { io, flags } = context;
  const { service, organizationId } = context.register.target();
  const { campaigns: all, damage } = await register.campaigns(service, organizationId);
  // What is named may be lost.
  if (damage !== undefined) throw damage;
  const campaigns = all.filter(({ sent }) => sent.forgotten === undefined);
  const named = campaigns.flatMap((one) => {
    const { campaign_id: id } = one.answer ?? {};
    const { campaign_name: name } = one.sent.request;
    return typeof id === 'number' ? [{ id, name, at: Date.parse(one.sent.at), one }] : [];
  });
  // The one campaign of a name if the service has not named it, so that it has no id.
  const [only, ...more] = campaigns.filter(({ sent }) => sent.request.campaign_name === word);
  if (only !== undefined && more.length === 0 && !named.some(({ one }) => one === only)) return only;
  if (word === undefined && !io.canAsk) {
    throw new UsageError('Missing: <campaign>.', { hint: `vagent campaign list${connectionFlags(flags)}` });
  }
  const forgotten = all.filter(({ sent }) => sent.forgotten !== undefined);
  return (await findNamed(word, { named, forgotten, damage, isAsked: true }, context)).one;
}
