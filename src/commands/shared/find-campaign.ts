/** Finds the campaign that an argument means, or the latest where none is named. */
import { knownLaunches, type Launches, type NamedLaunch, namedLaunches } from '../../campaigns/launches.ts';
import { connectionFlags } from '../../cli/flags/global.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { cell } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { listPlans } from '../../plans/rows/plans.ts';
import type { Past, SentCampaign } from '../../register/requests.ts';
import { localTime } from '../../text/time.ts';
import { askCampaign, type Named, pick, type Word } from './pick.ts';

/** The campaign that a word means, or the latest. Throws NotFoundError, and UsageError where it is not clear which is meant. */
export async function findLaunch(word: Word | undefined, launches: Launches, context: Context): Promise<NamedLaunch> {
  const named = namedLaunches(launches).map((launch) => ({
    id: launch.campaignId,
    name: launch.name,
    at: launch.at,
    launch,
  }));
  return (await findNamed(word, { ...launches, named }, context)).launch;
}

/** The same with all that was sent from here, which is read first. */
export async function readLaunches(word: Word | undefined, context: Context) {
  context.services.announce();
  const launches = await knownLaunches(context);
  return { launches, launch: await findLaunch(word, launches, context) };
}

interface Known<T> extends Pick<Launches, 'damage' | 'forgotten'> {
  /** The newest first. */
  named: readonly T[];
  /** Whether one that no word names is asked for, also if there is only one; the latest is not taken by itself. */
  isAsked?: boolean;
}

/** The same among campaigns that have ids. */
export async function findNamed<T extends Named>(
  word: Word | undefined,
  { named, damage, forgotten, isAsked = false }: Known<T>,
  context: Context,
): Promise<T> {
  const { io, flags, settings } = context;
  const where = settings.isRemote() ? ' that was created from here' : ' in the store';
  const among = { what: 'campaign', where, list: `vagent campaign list${connectionFlags(flags)}` } as const;
  try {
    // One of several is asked for, with the latest preset; a single one is meant.
    const meant =
      word === undefined && io.canAsk && named.length > (isAsked ? 0 : 1) ? await askCampaign(named, io) : word;
    return meant === undefined ? latest(named, isAsked || io.stdoutIsTerminal, io, among) : pick(meant, named, among);
  } catch (error) {
    if (error instanceof NotFoundError) requireRemembered(word, forgotten);
    if (error instanceof NotFoundError && typeof word === 'string') await requireNoPlan(word, context);
    // What is not found may be lost.
    throw damage !== undefined && error instanceof NotFoundError ? damage : error;
  }
}

/** The first, with a note that names it, where somebody is at a terminal to read it. */
function latest<T extends Named>(
  [first]: readonly T[],
  isSeen: boolean,
  io: Io,
  { where, list }: { where: string; list: string },
): T {
  if (!isSeen) throw new UsageError('Missing: <campaign>.', { hint: list });
  if (first === undefined) throw new NotFoundError(`There is no campaign${where}.`, { hint: list });
  io.note(`The latest campaign: ${first.id}, ${cell(first.name)}.`);
  return first;
}

/** Commands that are called the same for plans; for the others, results tell what somebody may want to know. */
const SAME_FOR_PLANS = /\bcampaign (status|watch|forget)\b/;

/** Throws NotFoundError, with the command for plans, if the word is the name of one. */
async function requireNoPlan(word: string, { register, flags, line }: Context): Promise<void> {
  const lower = word.toLowerCase();
  // What cannot be read now is no reason to say less than that there is no such campaign.
  const plans = await register
    .rows()
    .then((rows) => rows.read(listPlans))
    .catch(() => []);
  const named = plans.filter(({ loaded, name }) => (loaded?.plan.plan_name ?? name)?.toLowerCase() === lower);
  const [plan] = named;
  if (plan === undefined) return;
  const [, verb = 'results'] = SAME_FOR_PLANS.exec(line.command) ?? [];
  const command = `vagent plan ${verb} ${named.length === 1 ? plan.planId : '<id>'}`;
  throw new NotFoundError(`${cell(word)} is a plan, and not a campaign.`, {
    code: 'is_a_plan',
    hint: `${command}${connectionFlags(flags)}`,
  });
}

/** Throws NotFoundError if the word means a campaign that was forgotten: it is still listed, but nobody knows whom it called. */
function requireRemembered(word: Word | undefined, forgotten: readonly Past<SentCampaign>[]): void {
  const gone = forgotten.find(({ sent, answer }) =>
    typeof word === 'number' ? answer?.campaign_id === word : sent.request.campaign_name === word,
  );
  if (gone === undefined) return;
  const { sent, answer } = gone;
  const id = typeof answer?.campaign_id === 'number' ? `${answer.campaign_id} ` : '';
  const when = localTime(Date.parse(sent.forgotten ?? ''));
  const campaign = `${id}${JSON.stringify(cell(sent.request.campaign_name))}`;
  throw new NotFoundError(`Campaign ${campaign} was forgotten (${when}): whom it called is no longer kept here.`, {
    code: 'campaign_forgotten',
    hint: 'Its calls are in the log of the service: vagent logs list.',
  });
}
