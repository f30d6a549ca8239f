/** Finds the campaign that an argument means: by its id, by its name, or the latest where none is named. */
import { NotFoundError, UsageError } from '../../errors.ts';
import { nearest } from '../../flags/nearest.ts';
import { filled, identifier } from '../../flags/values.ts';
import type { Io } from '../../terminal/io.ts';
import { cell } from '../../terminal/output.ts';
import { ask } from '../../terminal/prompt.ts';
import { localTime } from '../../text/time.ts';

/** The id or the name of a campaign. */
export type CampaignWord = number | string;

/** A number is always an id. */
export function campaignWord(text: string): CampaignWord {
  return /^[-+]?\d+(\.\d*)?$/.test(text) ? identifier(text) : filled(text);
}

export interface KnownCampaign {
  campaign_id: number;
  campaign_name: string;
  /** When it was created or starts, in milliseconds since the epoch. */
  at: number;
}

/**
 * The campaign with an id or a name; upper and lower case differ only where names do. Throws UsageError if several have the name,
 * and NotFoundError, which says `where` there is none and suggests the command that lists them.
 */
export function pickCampaign<C extends KnownCampaign>(
  word: CampaignWord,
  campaigns: readonly C[],
  { where, list }: { where: string; list: string },
): C {
  if (typeof word === 'number') {
    const found = campaigns.find(({ campaign_id }) => campaign_id === word);
    if (found !== undefined) return found;
    throw new NotFoundError(`There is no campaign ${word} ${where}.`, { hint: list });
  }
  const lower = word.toLowerCase();
  const exact = campaigns.filter(({ campaign_name }) => campaign_name === word);
  const named = exact.length > 0 ? exact : campaigns.filter((one) => one.campaign_name.toLowerCase() === lower);
  const [only, second] = named;
  if (second !== undefined) {
    const listed = named.map(({ campaign_id, at }) => `${campaign_id} (${localTime(at).slice(0, 16)})`).join(', ');
    throw new UsageError(`${named.length} campaigns are called ${cell(word)}: ${listed}.`, {
      hint: 'Name one by its id.',
    });
  }
  if (only !== undefined) return only;
  const names = campaigns.map(({ campaign_name }) => campaign_name);
  const meant = nearest(word, names);
  const question = meant === undefined ? '' : `Did you mean ${JSON.stringify(cell(meant))}? `;
  throw new NotFoundError(`There is no campaign called ${cell(word)} ${where}.`, { hint: `${question}${list}` });
}

/**
 * The first of the campaigns, newest first, with a note that names it. Throws UsageError where nobody is at a terminal to read it,
 * and NotFoundError if there is none.
 */
export function latestCampaign<C extends KnownCampaign>(
  newestFirst: readonly C[],
  io: Io,
  { where, list }: { where: string; list: string },
): C {
  if (!io.stdoutIsTerminal) throw new UsageError('Missing: <campaign>.', { hint: list });
  const [latest] = newestFirst;
  if (latest === undefined) throw new NotFoundError(`There is no campaign ${where}.`, { hint: list });
  io.note(`The latest campaign: ${latest.campaign_id}, ${cell(latest.campaign_name)}.`);
  return latest;
}

/** Asks for the id of one of the campaigns, newest first. */
export function askCampaign(newestFirst: readonly KnownCampaign[], io: Io): Promise<number> {
  const choices = newestFirst.map(({ campaign_id, campaign_name, at }) => ({
    name: `${campaign_id}  ${cell(campaign_name)}  ${localTime(at).slice(0, 16)}`,
    value: campaign_id,
  }));
  return ask(io, { flag: '<campaign>', message: 'Campaign', choices: async () => choices });
}
