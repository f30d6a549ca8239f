/** The counts of a campaign in a sentence. */
import type { Tally } from '../../../calls/attribution/attribution.ts';
import { CONTACT_STATES } from '../../../calls/attribution/states.ts';
import { grouped } from '../../../text/numbers.ts';

/** `20 contacts: 12 reached, 3 busy, 5 waiting. 2 attempts are ambiguous.` */
export function talliedInWords({ contacts, states, ambiguous }: Tally): string {
  const parts = CONTACT_STATES.flatMap((state) => {
    const count = states[state];
    return count === 0 ? [] : [`${grouped(count)} ${state.replaceAll('_', ' ')}`];
  });
  const all = `${grouped(contacts)} ${contacts === 1 ? 'contact' : 'contacts'}`;
  const are = ambiguous === 1 ? 'attempt is' : 'attempts are';
  const unsure = ambiguous === 0 ? '' : ` ${grouped(ambiguous)} ${are} ambiguous.`;
  return `${all}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.${unsure}`;
}
