/**
 * Whom a service was sent before: what the register says of any numbers, beside a naive answer over any history. A number that
 * it missed would be called twice, and nobody would notice.
 */
import { describe, expect, test } from 'vitest';
import { calledBy, insertContacts } from '../../src/register/contact-rows.ts';
import { findRepeats, glanceAt, lastUnknown, unknownPhones } from '../../src/register/repeats.ts';
import { insertRequest } from '../../src/register/request-rows.ts';
import type { Intent } from '../../src/register/requests.ts';
import { serviceKey } from '../../src/register/service-key.ts';
import type { Sql } from '../../src/storage/database/sql.ts';
import { phoneKey } from '../../src/text/phone.ts';
import { callOf, campaignOf } from '../support/desk.ts';
import { ENGINES } from '../support/engines.ts';
import { howMany } from '../support/full-matrix.ts';
import fc from '../support/properties.ts';
import { rowsAt } from '../support/rows.ts';

/** So that requests of one moment stand on both sides of round numbers. */
const FIRST = 1021;
/** One in two spellings, and another. */
const SERVICES = ['https://a.example/api', 'HTTP://A.example:80//api/', 'https://b.example'];
const OUTCOMES = ['accepted', 'refused', 'not_sent', 'unknown', 'a word of tomorrow', null] as const;
/** Few people, so that lists meet; some of them by the number of today and by that of before. */
const NUMBERS = [
  ...['+14155550101', '+14155550102', '+14155550103', '+5215512345678', '+525512345678', '+5511987654321'],
  ...['+551187654321', '+15550100'],
];

interface Request {
  isCall: boolean;
  numbers: string[];
  service: string;
  /** Milliseconds: few, so that some are of the same moment, and some out of order. */
  at: number;
  outcome: (typeof OUTCOMES)[number];
  isForgotten: boolean;
}

const numbers = fc.array(fc.constantFrom(...NUMBERS), { minLength: 1, maxLength: 5 });
const world = fc.record({
  requests: fc.array(
    fc.record({
      isCall: fc.boolean(),
      numbers,
      service: fc.constantFrom(...SERVICES),
      at: fc.integer({ min: 1_795_000_000_000, max: 1_795_000_000_005 }),
      outcome: fc.constantFrom(...OUTCOMES),
      isForgotten: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
    }),
    { maxLength: 7 },
  ),
  asked: numbers,
  service: fc.constantFrom(...SERVICES),
});

async function write(sql: Sql, requests: readonly Request[]): Promise<void> {
  for (const [at, { isCall, numbers: all, service, at: sentAt, outcome, isForgotten }] of requests.entries()) {
    const entry = at + FIRST;
    const common = { by: 'me@here', service, organization_id: at };
    const { contacts, ...request } = campaignOf(all);
    const called = calledBy(Float64Array.from(all, (number) => Number(number.slice(1))));
    const told = { count: all.length, numbers_sha256: called.numbersSha256 };
    const intent: Intent = isCall
      ? { ...common, operation: 'triggerCall', request: callOf(all[0] as string) }
      : { ...common, operation: 'createCampaign', request, contacts: told };
    await insertRequest(sql, entry, intent, { at: sentAt });
    if (!isCall) await insertContacts(sql, entry, { contacts, rows: undefined, redact: (text) => text });
    const reply = outcome === null ? null : '{}';
    await sql.run('update requests set outcome = $2, reply = $3, forgotten_at = $4 where entry = $1', [
      ...[entry, outcome, reply, isForgotten ? 1 : null],
    ]);
  }
}

interface Known extends Request {
  entry: number;
  phones: Set<string>;
}

/** The requests to a service that may have rung somebody, in the order of sending. */
function sentTo(service: string, requests: readonly Request[]): Known[] {
  return requests
    .map((one, at) => ({
      ...one,
      entry: at + FIRST,
      phones: new Set((one.isCall ? one.numbers.slice(0, 1) : one.numbers).map(phoneKey)),
    }))
    .filter((one) => serviceKey(one.service) === serviceKey(service) && !one.isForgotten)
    .filter(({ outcome }) => outcome !== 'refused' && outcome !== 'not_sent')
    .toSorted((one, other) => one.at - other.at || one.entry - other.entry);
}

/** Whether a call came after that, of which it is known that it was placed. */
function isCleared(phone: string, one: Known, sent: readonly Known[]): boolean {
  const later = sent.slice(sent.indexOf(one));
  return later.some((call) => call.isCall && call.phones.has(phone) && call.outcome === 'accepted');
}

/** The last request that stands against calling a phone again. */
function lastTo(phone: string, sent: readonly Known[]): Known | undefined {
  return sent.findLast(
    (one) => one.phones.has(phone) && (!one.isCall || (one.outcome !== 'accepted' && !isCleared(phone, one, sent))),
  );
}

class Undone extends Error {}

describe.each(ENGINES)('in $name, whatever was sent', ({ name, places }) => {
  const place = places();

  test('the last request to each phone is found, and no other', async () => {
    const rows = await rowsAt(await place());
    const look = async ({ requests, asked, service }: typeof world extends fc.Arbitrary<infer W> ? W : never) => {
      const sent = sentTo(service, requests);
      const phones = [...new Set(asked.map(phoneKey))];
      const expected = new Map(phones.map((phone) => [phone, lastTo(phone, sent)?.entry]));
      const undone = rows.write(async (sql) => {
        await write(sql, requests);
        const called = calledBy(Float64Array.from(asked, (number) => Number(number.slice(1))));
        const { repeats, lastOf } = await findRepeats(sql, service, called.phones);
        for (const number of asked) expect(lastOf(number)?.before.sent.entry).toBe(expected.get(phoneKey(number)));
        expect(lastOf('+14155559999')).toBeUndefined();
        for (const { before, count, first } of repeats) {
          const own = phones.filter((phone) => expected.get(phone) === before.sent.entry);
          expect(count).toBe(own.length);
          const digits = own.map((phone) => Number(phone.slice(1))).sort((one, other) => one - other);
          expect(first).toEqual(digits.slice(0, 3));
          expect(before.outcome ?? null).toBe(requests[before.sent.entry - FIRST]?.outcome);
        }
        const places = repeats.map(({ before }) => sent.findIndex(({ entry }) => entry === before.sent.entry));
        expect(places).toEqual(places.toSorted((one, other) => other - one));
        const unknown = new Set(
          sent
            .filter(({ outcome }) => outcome !== 'accepted')
            .flatMap((one) => [...one.phones].filter((phone) => !one.isCall || !isCleared(phone, one, sent))),
        );
        const digitsOf = (some: Iterable<string>) => [...some].map((phone) => Number(phone.slice(1))).toSorted();
        expect([...(await unknownPhones(sql, service))].toSorted()).toEqual(digitsOf(unknown));
        const [phone = ''] = phones;
        const digits = Number(phone.slice(1));
        const ofKind = (isCall: boolean) => {
          const last = sent.findLast((one) => one.isCall === isCall && one.phones.has(phone));
          return last?.outcome === 'accepted' ? undefined : last?.entry;
        };
        expect((await lastUnknown(sql, service, digits))?.sent.entry).toBe(ofKind(true) ?? ofKind(false));
        const isSuspect = ofKind(true) !== undefined || ofKind(false) !== undefined;
        expect(await glanceAt(sql, service, digits)).toEqual({
          last: requests.length === 0 ? 0 : FIRST - 1 + requests.length,
          isSuspect,
        });
        throw new Undone();
      });
      await expect(undone).rejects.toThrow(Undone);
    };
    // Over a connection it takes thirty times as long as in a file.
    const numRuns = name === 'SQLite' ? howMany(500, 20_000) : howMany(40, 5_000);
    await fc.assert(fc.asyncProperty(world, look), { numRuns });
  });

  test('phones by the thousand, of which every third was sent in one of many campaigns', async () => {
    const rows = await rowsAt(await place());
    const number = (at: number) => `+1415${5_000_000 + at}`;
    const COUNT = 25_000;
    const requests: Request[] = Array.from({ length: 5 }, (_none, which) => ({
      ...{ isCall: false, service: SERVICES[0] as string, at: NOON + which, outcome: 'accepted', isForgotten: false },
      numbers: Array.from({ length: COUNT / 15 }, (_each, at) => number(at * 15 + which * 3)),
    }));
    await rows.write((sql) => write(sql, requests));
    const { phones } = calledBy(Float64Array.from({ length: COUNT }, (_none, at) => Number(number(at).slice(1))));
    const { repeats, lastOf } = await rows.read((sql) => findRepeats(sql, SERVICES[1] as string, phones));
    expect(repeats.map(({ before, count }) => [before.sent.entry, count])).toEqual(
      [4, 3, 2, 1, 0].map((at) => [FIRST + at, requests[at]?.numbers.length]),
    );
    expect([0, 1, 2, 3, 15_000, 24_999].map((at) => lastOf(number(at))?.before.sent.entry)).toEqual([
      ...[FIRST, undefined, undefined, FIRST + 1, FIRST, undefined],
    ]);
  });
});

const NOON = Date.parse('2026-11-20T12:00:00Z');
