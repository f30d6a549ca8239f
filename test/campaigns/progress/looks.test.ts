/** What is told of a campaign that is looked at while its calls are made: the same as if the log were read once. */
import { expect, test } from 'vitest';
import { Attribution } from '../../../src/campaigns/attribution/attribution.ts';
import { HOUR, MINUTE } from '../../../src/text/units.ts';
import { callAt } from '../../support/dated-log.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const STATUSES = ['completed', 'busy', 'no_answer', 'in_progress'];

function campaign(campaignId: number, firstRow: number) {
  const phones = Float64Array.from({ length: 30 }, (_none, row) => 14155550000 + firstRow + row);
  const span = { from: START - 5 * HOUR, until: START + 9 * HOUR };
  return {
    ...{ agentId: 3, from: '+14155550100', campaignId, start: START, span, callsPerHour: 60, attempts: 3 },
    ...{ retryDelay: MINUTE, contacts: { phones, identifierOf: () => undefined } },
  };
}

/** Whole numbers below `end`, always the same for one seed. */
function numbers(seed: number) {
  let state = seed;
  return (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('a look between tells nothing else (%i)', (seed) => {
  const below = numbers(seed);
  const parties = [campaign(1, 0), campaign(2, 20)];
  const watched = new Attribution(parties);
  const taken: ReturnType<typeof callAt>[] = [];
  const told = (attribution: Attribution<(typeof parties)[number]>, now: number) =>
    parties.map((party) => {
      const { byHour, byStatus, results, ...tally } = attribution.tallyOf(party);
      const named = [byStatus, results].map((counts) => Object.entries(counts).toSorted());
      const counted = [[...byHour].toSorted(), named, tally];
      return JSON.stringify([counted, attribution.recentlyOf(party, 10, now)]);
    });
  for (let look = 0; look < 60; look++) {
    const now = START + look * 10 * MINUTE;
    for (let count = below(6); count > 0; count--) {
      const at = Math.floor((now - below(below(4) === 0 ? 3 * HOUR : HOUR / 6)) / MINUTE) * MINUTE;
      const call = callAt(at, `call_${below(80)}`, {
        ...{ agent_id: 3, call_from: '+14155550100', called_to: `+${14155550000 + below(50)}` },
        call_status: STATUSES[below(4)] as string,
        ...(seed % 4 === 0 && { timestamp: new Date(at).toISOString().slice(0, -1) }),
        ...(seed % 4 === 1 && below(20) === 0 && { timestamp: 'soon' }),
      });
      taken.push(call);
      watched.take(call);
    }
    watched.resolve(now);
    const once = new Attribution(parties);
    for (const call of taken) once.take(call);
    once.resolve(now);
    expect(told(watched, now)).toEqual(told(once, now));
  }
});
