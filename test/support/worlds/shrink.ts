/** Makes a world smaller while something is still wrong with it, and tells it in lines that a person can follow. */
import type { LaunchedCampaign, Owner } from './keyed.ts';
import type { Truth, World } from './world.ts';

/** Leaves out campaigns, calls, strangers and contacts, each with its entries, as long as `isWrong`. */
export function shrink(world: World, isWrong: (world: World) => boolean): World {
  let smallest = world;
  for (;;) {
    const smaller = smallerWorlds(smallest).find(isWrong);
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

function smallerWorlds(world: World): World[] {
  const { campaigns, calls, truth, entries } = world;
  const withoutSent = [...campaigns, ...calls].map(({ key }) =>
    keeping(
      {
        ...world,
        campaigns: campaigns.filter((one) => one.key !== key),
        calls: calls.filter((one) => one.key !== key),
      },
      (owner) => owner?.key !== key,
    ),
  );
  const hasStrangers = entries.some(({ call_id }) => !truth.has(String(call_id)));
  const withoutStrangers = hasStrangers ? [keeping(world, (owner) => owner !== undefined)] : [];
  const withoutRows = campaigns.flatMap((campaign) =>
    campaign.contacts.phones.length < 2
      ? []
      : Array.from(campaign.contacts.phones, (_, row) => withoutRow(world, campaign, row)),
  );
  return [...withoutStrangers, ...withoutSent, ...withoutRows];
}

function keeping(world: World, isKept: (owner: Truth | undefined) => boolean): World {
  const entries = world.entries.filter(({ call_id }) => isKept(world.truth.get(String(call_id))));
  return { ...world, entries };
}

function withoutRow(world: World, campaign: LaunchedCampaign, row: number): World {
  const { contacts, key } = campaign;
  const placeOf = (kept: number) => (kept < row ? kept : kept + 1);
  const fewer: LaunchedCampaign = {
    ...campaign,
    contacts: {
      phones: contacts.phones.filter((_, at) => at !== row),
      identifierOf: (kept) => contacts.identifierOf(placeOf(kept)),
    },
  };
  const kept = keeping(world, (owner) => owner?.key !== key || !('row' in owner) || owner.row !== row);
  const truth = new Map(
    [...world.truth].map(([id, owner]) => {
      const isBehind = owner.key === key && 'row' in owner && owner.row > row;
      return [id, isBehind ? { ...owner, row: owner.row - 1 } : owner];
    }),
  );
  return { ...kept, truth, campaigns: world.campaigns.map((one) => (one === campaign ? fewer : one)) };
}

/** `said`: what a matcher says of each entry. */
export function describe(world: World, said: (callId: string) => Owner | undefined): string {
  const { seed, service, now, campaigns, calls, entries, truth, times, showing, isComplete } = world;
  const time = (at: number) => new Date(at).toISOString();
  const owner = (one: Truth | Owner | undefined) =>
    one === undefined
      ? 'nobody'
      : 'row' in one
        ? `${one.key} row ${one.row} attempt ${one.attempt}`
        : `call ${one.key}`;
  const sent = [
    ...campaigns.map((campaign) => {
      const { key, agentId, from, start, span, callsPerHour, attempts, retryDelay, contacts } = campaign;
      const listed = [...contacts.phones].map((phone, row) => `${phone} ${contacts.identifierOf(row) ?? ''}`.trim());
      return `${key}: campaign of ${agentId} from ${from}, ${time(start)} until ${time(span.until)}, ${callsPerHour} an hour, ${attempts} attempts, ${retryDelay / 1000} s apart: ${listed.join(', ')}`;
    }),
    ...calls.map(
      ({ key, agentId, from, to, identifier, span }) =>
        `${key}: call of ${agentId} from ${from} to ${to} ${identifier ?? ''}, ${time(span.from)} until ${time(span.until)}`,
    ),
  ];
  const made = entries
    .toSorted((left, right) => (times.get(String(left.call_id)) ?? 0) - (times.get(String(right.call_id)) ?? 0))
    .map((entry) => {
      const id = String(entry.call_id);
      const { called_to, call_status, timestamp, custom_identifiers, campaign_id } = entry;
      const echo = [custom_identifiers, campaign_id].filter((value) => value !== undefined).join(' ');
      const [real, claimed] = [owner(truth.get(id)), owner(said(id))];
      const isMarked = said(id)?.isAmbiguous ? ' (ambiguous)' : '';
      const isRight = real === claimed ? '  ' : '✗ ';
      return `${isRight}${id} ${timestamp} to ${called_to} ${call_status} ${echo}: is ${real}, said ${claimed}${isMarked}`;
    });
  const head = `seed ${seed}, ${service}, now ${time(now)}, shown ${JSON.stringify(showing)}${isComplete ? '' : ', the last are missing'}`;
  return [head, ...sent, ...made].join('\n');
}
