/** The calls of each contact, however few are held in memory at a time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callsOfContacts, type Journal } from '../../src/plans/calls-of-contacts.ts';
import type { Called, PlanEvent } from '../../src/plans/events.ts';

const called = (row: number, at: number): Called => ({
  ...{ event: 'called', at, row, wave: 1, result: 'busy', status: 'busy', outcome: 'not_connected', seconds: 0 },
  call_id: `call-${row}-${at}`,
});

/** A journal in memory, and how many events were read by their places. */
function journalOf(events: readonly PlanEvent[]) {
  const read: number[] = [];
  const journal: Journal = {
    entries: () => events.map((event, at) => ({ event, start: at * 10 })),
    eventsAt(starts) {
      const places = [...starts];
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      read.push(places.length);
      return places.map((start) => events[start / 10] as PlanEvent);
    },
  };
  return { journal, read };
}

test('each contact has its own calls, in the order of time, whatever is read together', () => {
  const given = fc.integer({ min: 1, max: 30 }).chain((contacts) =>
    fc.record({
      contacts: fc.constant(contacts),
      calls: fc.uniqueArray(fc.tuple(fc.nat(contacts - 1), fc.nat(50)), { selector: String }),
      most: fc.integer({ min: 1, max: 60 }),
    }),
  );
  fc.assert(
    fc.property(given, ({ contacts, calls, most }) => {
      const events: PlanEvent[] = calls.map(([row, at]) => called(row, at));
      events.splice(1, 0, { event: 'others', at: 3, row: 0 }, { event: 'unseen', at: 4, rows: [0, contacts] });
      const found = [...callsOfContacts(contacts, journalOf(events).journal, most)];
      const expected = Array.from({ length: contacts }, (_none, row) =>
        calls
          .filter(([of]) => of === row)
          .map(([, at]) => at)
          .toSorted((one, other) => one - other),
      );
      expect(found.map((some) => some.map(({ at }) => at))).toEqual(expected);
    }),
  );
});

test('a portion has as many calls as it may, or all of one contact', () => {
  const events = [0, 0, 0, 1, 2, 2, 3, 4, 4, 4, 4, 4, 5].map((row, at) => called(row, at));
  const portions = (most: number) => {
    const { journal, read } = journalOf(events);
    expect([...callsOfContacts(6, journal, most)].flat()).toHaveLength(events.length);
    return read;
  };
  expect(portions(100)).toEqual([13]);
  expect(portions(4)).toEqual([4, 3, 5, 1]);
  expect(portions(1)).toEqual([3, 1, 2, 1, 5, 1]);
});

test('more calls than were expected', () => {
  const events = Array.from({ length: 5_000 }, (_none, at) => called(at % 3, at));
  const found = [...callsOfContacts(3, journalOf(events).journal)];
  expect(found.map(({ length }) => length)).toEqual([1667, 1667, 1666]);
});

test('a call that was revised is one call, with what was said of it last', () => {
  const was = { result: 'busy', seconds: 0 } as const;
  const first = { ...called(0, 5), event: 'revised', was, result: 'no_answer', status: 'no_answer' } as const;
  const second = { ...first, result: 'reached', status: 'completed', seconds: 40 } as const;
  const events: PlanEvent[] = [called(0, 5), called(1, 6), first, called(0, 9), second];
  for (const most of [1, 100]) {
    const found = [...callsOfContacts(2, journalOf(events).journal, most)];
    const { was: _, ...last } = second;
    expect(found).toEqual([[{ ...last, event: 'called' }, called(0, 9)], [called(1, 6)]]);
  }
});
