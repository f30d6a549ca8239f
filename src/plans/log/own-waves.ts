/** The waves of a plan as campaigns whose calls the log may show. */
import type { LaunchedCampaign } from '../../calls/attribution/launched.ts';
import type { LoadedPlan, OpenWave } from '../plan.ts';
import type { Roster } from '../roster.ts';
import { UNSEEN_AFTER } from '../rules.ts';
import { endOf } from '../waves.ts';
import type { OwnWave } from './own-calls.ts';

const HOUR = 3_600_000;
/** In the place of a contact whose call was seen: it claims no other, which may be another plan's. */
const NOBODY = 0;
/** Milliseconds by which a service may round the time of a call. */
export const ROUNDED = 2_000;

/** A wave that has contacts without news. */
export function openWave(
  { plan, roster }: LoadedPlan,
  open: OpenWave,
  { rows, identifiers }: { rows: readonly number[]; identifiers: readonly (string | undefined)[] },
): OwnWave {
  const { wave, from, start, interval, campaignId } = open;
  const launched: LaunchedCampaign = {
    key: wave,
    campaignId,
    agentId: plan.agent_id,
    from,
    start,
    callsPerHour: HOUR / interval,
    ...limits(start, endOf(open)),
    contacts: {
      phones: Float64Array.from(rows, (row) => (roster.isAwaitedIn(row, wave) ? roster.phoneOf(row) : NOBODY)),
      identifierOf: (index) => identifiers[index],
    },
  };
  return { wave, launched, rowAt: (index) => rows[index] };
}

/** A wave that the plan waits for no longer, as it was sent; a call of it may still come to light. */
export function pastWave(roster: Roster, wave: number, sent: LaunchedCampaign): OwnWave {
  const rowOf = (phone: number) => {
    const rows = roster.rowsOfPhone(phone);
    return rows.find((row) => roster.isAwaitedIn(row, wave)) ?? rows.find((row) => roster.isRecalled(row));
  };
  const phones = sent.contacts.phones.map((phone) => (rowOf(phone) === undefined ? NOBODY : phone));
  const contacts = { phones, identifierOf: (index: number) => sent.contacts.identifierOf(index) };
  const end = sent.start + (phones.length * HOUR) / sent.callsPerHour;
  return {
    wave,
    launched: { ...sent, contacts, ...limits(sent.start, end) },
    rowAt: (index) => rowOf(phones[index] as number),
  };
}

/** One attempt for each contact, from the start until it would be unseen. */
function limits(start: number, end: number): Pick<LaunchedCampaign, 'span' | 'attempts' | 'retryDelay'> {
  return { span: { from: start - ROUNDED, until: end + UNSEEN_AFTER }, attempts: 1, retryDelay: 0 };
}
