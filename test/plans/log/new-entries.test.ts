/** Each run of a plan reads what is new in the log: all of it, and in a log that shows the newest first little else. */
import { describe, expect, test } from 'vitest';
import type { CallLogEntry, RequestOf, ResponseOf, Service } from '../../../src/contract.ts';
import { type LogPosition, readNewEntries } from '../../../src/plans/log/new-entries.ts';
import fc from '../../support/properties.ts';

const HOUR = 3_600_000;
const MIDNIGHT = Date.parse('2026-11-20T00:00:00Z');
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** A log that grows only where a test says so. */
class Log {
  readonly entries: CallLogEntry[] = [];
  requests = 0;
  asked = 0;
  hasTotal = true;

  /** `place` is where it comes to stand, from the beginning; at its time by default. */
  add(at: number, fields: object = {}, place?: number): CallLogEntry {
    const entry: CallLogEntry = {
      call_id: `call_${this.entries.length}`,
      call_status: 'busy',
      timestamp: new Date(at).toISOString(),
      ...fields,
    };
    const later = this.entries.findIndex((other) => String(other.timestamp) <= String(entry.timestamp));
    this.entries.splice(place ?? (later === -1 ? this.entries.length : later), 0, entry);
    return entry;
  }

  readonly service: Pick<Service, 'getCallLogs'> = {
    getCallLogs: async ({ start_date = '', offset = 0, limit = 100 }: RequestOf<'getCallLogs'>) => {
      this.requests += 1;
      const all = this.entries.filter(({ timestamp }) => String(timestamp) >= start_date);
      const calls = all.slice(offset, offset + limit);
      this.asked += calls.length;
      const answer = { success: true, calls, total: all.length, limit: calls.length, offset };
      if (!this.hasTotal) delete (answer as { total?: number }).total;
      return answer as ResponseOf<'getCallLogs'>;
    },
  };
}

class Reader {
  readonly #log: Log;
  position: LogPosition | undefined;
  /** Of the last reading. */
  taken: CallLogEntry[] = [];
  requests = 0;
  asked = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  async read(since: number): Promise<(string | undefined)[]> {
    const [requests, asked] = [this.#log.requests, this.#log.asked];
    this.taken = [];
    this.position = await readNewEntries({
      service: this.#log.service,
      // As it is kept in its file.
      position: this.position && JSON.parse(JSON.stringify(this.position)),
      day: dayOf(since),
      concurrency: 1,
      take: (call) => {
        this.taken.push(call);
        return call.call_status === 'ringing';
      },
    });
    this.requests = this.#log.requests - requests;
    this.asked = this.#log.asked - asked;
    return this.taken.map(({ call_id }) => call_id as string);
  }
}

function filled(count: number): Log {
  const log = new Log();
  for (let at = 0; at < count; at++) log.add(MIDNIGHT + at * 1000);
  return log;
}

describe('a log that shows the newest first', () => {
  test('is read whole at first, then only what is new', async () => {
    const log = filled(3_000);
    const reader = new Reader(log);
    expect(await reader.read(MIDNIGHT)).toHaveLength(3_000);
    expect(await reader.read(MIDNIGHT)).toEqual([]);
    expect(reader.requests).toBe(1);
    for (let at = 0; at < 50; at++) log.add(MIDNIGHT + HOUR + at);
    expect(await reader.read(MIDNIGHT)).toHaveLength(50);
    expect(reader.requests).toBe(1);
    for (let at = 0; at < 2_500; at++) log.add(MIDNIGHT + 2 * HOUR + at);
    expect(await reader.read(MIDNIGHT)).toHaveLength(2_500);
    expect(reader.requests).toBe(4);
  });

  test('with an entry that came late is read down to it, not whole', async () => {
    const log = filled(20_000);
    const reader = new Reader(log);
    await reader.read(MIDNIGHT);
    const late = log.add(MIDNIGHT + 19_500_500);
    expect(await reader.read(MIDNIGHT)).toContain(late.call_id);
    expect(reader.asked).toBeLessThan(5_000);
    const later = log.add(MIDNIGHT + 500);
    expect(await reader.read(MIDNIGHT)).toContain(later.call_id);
    expect(await reader.read(MIDNIGHT)).toEqual([]);
  });

  test('is asked from a later day when nothing before matters any more, without being read again', async () => {
    const log = filled(300);
    const reader = new Reader(log);
    await reader.read(MIDNIGHT);
    const next = log.add(MIDNIGHT + 30 * HOUR);
    expect(await reader.read(MIDNIGHT + 30 * HOUR)).toEqual([next.call_id]);
    expect(reader.position?.day).toBe('2026-11-21');
    const last = log.add(MIDNIGHT + 31 * HOUR);
    expect(await reader.read(MIDNIGHT + 30 * HOUR)).toEqual([last.call_id]);
    expect(reader.asked).toBeLessThan(5);
  });

  test('is never asked from an earlier day than at first', async () => {
    const log = filled(10);
    const reader = new Reader(log);
    await reader.read(MIDNIGHT);
    await reader.read(MIDNIGHT - 48 * HOUR);
    expect(reader.position?.day).toBe('2026-11-20');
    expect(reader.requests).toBe(1);
  });
});

test('a log that does not say how many entries there are is read whole', async () => {
  const log = filled(30);
  log.hasTotal = false;
  const reader = new Reader(log);
  expect(await reader.read(MIDNIGHT)).toHaveLength(30);
  log.add(MIDNIGHT + HOUR);
  expect(await reader.read(MIDNIGHT)).toHaveLength(31);
});

describe('whatever the order of the log', () => {
  const additions = fc.array(
    fc.record({
      hours: fc.integer({ min: 0, max: 60 }),
      place: fc.double({ min: 0, max: 1, noNaN: true }),
      isRinging: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  const readings = fc.array(fc.record({ additions, settles: fc.boolean(), later: fc.integer({ min: 0, max: 20 }) }), {
    minLength: 1,
    maxLength: 12,
  });
  test.each(['by time', 'the oldest first', 'none'] as const)(
    '%s: every entry is taken, and again when it changes',
    (order) =>
      fc.assert(
        fc.asyncProperty(readings, fc.boolean(), async (all, hasCallIds) => {
          const log = new Log();
          const reader = new Reader(log);
          const known = new Map<string, string>();
          let since = MIDNIGHT;
          for (const { additions, settles, later } of all) {
            for (const { hours, place, isRinging } of additions) {
              const fields = {
                call_status: isRinging ? 'ringing' : 'busy',
                ...(hasCallIds ? {} : { call_id: undefined, called_to: `${log.entries.length}` }),
              };
              const end = log.entries.length;
              const at = order === 'by time' ? undefined : order === 'none' ? Math.floor(place * end) : end;
              log.add(MIDNIGHT + hours * HOUR, fields, at);
            }
            if (settles)
              for (const entry of log.entries) if (entry.call_status === 'ringing') entry.call_status = 'completed';
            since += later * HOUR;
            await reader.read(since);
            for (const entry of reader.taken) known.set(nameOf(entry), String(entry.call_status));
            const wanted = log.entries.filter(({ timestamp }) => String(timestamp) >= dayOf(since));
            for (const entry of wanted) expect(known.get(nameOf(entry))).toBe(entry.call_status);
          }
        }),
      ),
  );
});

const nameOf = ({ call_id, called_to }: CallLogEntry) => String(call_id ?? called_to);
