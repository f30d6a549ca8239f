/** All that the log says is heard again within a day: at once of a short log, of a long one a part at each look. */
import { describe, expect, test } from 'vitest';
import type { Page } from '../../../src/calls/paging/pages.ts';
import type { CallLogEntry, RequestOf, Service } from '../../../src/contract.ts';
import { type HeardAgain, hearAgain } from '../../../src/plans/log/hear-again.ts';
import { phoneIn } from '../../../src/plans/log/kept-entry.ts';
import { DAY } from '../../../src/text/units.ts';

const HOUR = DAY / 24;

/** A log, its newest entry first, and a plan that is reconciled with it. */
class HeardLog {
  readonly entries: CallLogEntry[] = [];
  /** When each was heard last. */
  readonly heard = new Map<number, number>();
  asked = 0;
  kept: HeardAgain | undefined;
  sent = true;
  #calls = 0;

  constructor(entries: number) {
    this.grow(entries);
  }

  grow(entries: number): void {
    for (let n = 0; n < entries; n++) {
      this.#calls++;
      this.entries.unshift({ call_id: `call_${this.#calls}`, called_to: `+${this.#calls}`, call_outcome: 'busy' });
    }
  }

  /** How many entries were heard. */
  async reconcile(now: number, isWhole = false): Promise<number> {
    const before = this.asked;
    this.kept = await hearAgain({
      service: { getCallLogs: (request: RequestOf<'getCallLogs'>) => this.#page(request) } as unknown as Service,
      kept: this.kept,
      isWhole,
      known: this.entries.length,
      now,
      past: this.sent ? [{ entry: 1, at: 0, phones: async () => undefined }] : [],
      roster: { rowsOfPhone: (phone) => [phone] },
      hear: (phone) => this.heard.set(phone, now),
      watch: (reading: AsyncGenerator<Page, unknown>) => reading,
      concurrency: 4,
    });
    return this.asked - before;
  }

  async #page({ offset = 0, limit = 100 }: RequestOf<'getCallLogs'>) {
    const calls = this.entries.slice(offset, offset + limit);
    this.asked += calls.length;
    return { success: true, calls, total: this.entries.length, limit: calls.length, offset };
  }

  /** Milliseconds since the entry that was heard first of all. */
  longestUnheard(now: number): number {
    return this.entries.reduce((most, entry) => Math.max(most, now - (this.heard.get(phoneIn(entry)) ?? 0)), 0);
  }
}

describe('what the log says of old calls', () => {
  test('is heard at once the first time, when all is wanted, and of a short log when a day is over', async () => {
    const log = new HeardLog(300);
    expect(await log.reconcile(0)).toBeGreaterThanOrEqual(300);
    expect(await log.reconcile(20 * HOUR)).toBe(0);
    expect(await log.reconcile(21 * HOUR, true)).toBeGreaterThanOrEqual(300);
    expect(await log.reconcile(44 * HOUR)).toBe(0);
    expect(await log.reconcile(45 * HOUR)).toBeGreaterThanOrEqual(300);
  });

  test('is nothing where nothing was sent', async () => {
    const log = new HeardLog(300);
    log.sent = false;
    expect([await log.reconcile(0), await log.reconcile(2 * DAY)]).toEqual([0, 0]);
  });

  test.each([0, 250])(
    'of a long log that grows by %i at each look is all heard within a day, a part at a time',
    async (growth) => {
      const log = new HeardLog(12_000);
      await log.reconcile(0);
      for (let now = HOUR / 2; now <= 2.5 * DAY; now += HOUR / 2) {
        log.grow(growth);
        for (const entry of log.entries.slice(0, growth)) log.heard.set(phoneIn(entry), now);
        expect(await log.reconcile(now)).toBeLessThan(log.entries.length / 3);
        expect(log.longestUnheard(now)).toBeLessThanOrEqual(DAY + HOUR);
      }
    },
  );

  test('is all heard after two days in which nobody looked', async () => {
    const log = new HeardLog(12_000);
    await log.reconcile(0);
    await log.reconcile(6 * HOUR);
    expect(await log.reconcile(2 * DAY)).toBeGreaterThanOrEqual(12_000);
  });

  test('is heard at once when a day is over in a log that loses entries, or has them in another order', async () => {
    const changes = [(log: HeardLog) => log.entries.splice(-100), (log: HeardLog) => log.entries.reverse()];
    for (const change of changes) {
      const log = new HeardLog(12_000);
      await log.reconcile(0);
      await log.reconcile(2 * HOUR);
      change(log);
      for (let now = 4 * HOUR; now <= DAY; now += 2 * HOUR) await log.reconcile(now);
      expect(log.longestUnheard(DAY)).toBe(0);
    }
  });
});
