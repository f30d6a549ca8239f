/** Who must wait, or would be left over, in words: how many, why, and what would help. */
import { heldBack, leftOver } from '../../../plans/rules/held-back.ts';
import type { LoadedPlan } from '../../../plans/rules/plan.ts';
import { isoTime } from '../../../text/iso.ts';
import { counted } from '../../../text/numbers.ts';
import { shortTime } from '../../../text/when.ts';
import { city, listed } from './draw-rules.ts';

/**
 * A sentence or two for each reason. `now`: by the clock that places the calls. `edit`: of a plan that is made, the command
 * that changes its rules, with a space behind it.
 */
export function heldBackInWords(loaded: LoadedPlan, now: number, edit = ''): string[] {
  return [waitInWords(loaded, now, edit), leftInWords(loaded, now, edit)].filter((text) => text !== '');
}

function waitInWords(loaded: LoadedPlan, now: number, edit: string): string {
  const held = heldBack(loaded, now);
  if (held === undefined) return '';
  const { contacts, until, zones, instead } = held;
  const who = counted(contacts, 'contact waits', 'contacts wait');
  const wait = `${who} until ${shortTime(until, now).trim()}: they may be in ${listed(zones.map(city))}.`;
  if (instead !== undefined) return `${wait} If all are in ${city(instead)}: ${edit}--zone ${instead}`;
  return edit === '' ? `${wait} If a column names the zone of each: --zone-column <column>` : wait;
}

function leftInWords(loaded: LoadedPlan, now: number, edit: string): string {
  const left = leftOver(loaded, now);
  if (left === undefined) return '';
  const { contacts, rules } = loaded.plan;
  const why = rules.end === undefined ? 'within the hours that were looked at' : 'before --end';
  const helps = [
    ...(left.callsPerHour === undefined ? [] : [`--calls-per-hour ${left.callsPerHour}`]),
    ...(left.end === undefined ? [] : [`--end ${isoTime(left.end).replace(/:00\.000Z$/, 'Z')}`]),
  ];
  const help = helps.length === 0 ? '' : ` Enough would be: ${edit}${helps.join(', or ')}`;
  return `at this pace, ${left.contacts} of ${counted(contacts, 'contact')} would not even be called once ${why}.${help}`;
}
