/** The list of those who opted out: what is on it stays on it, for everything of the service that they told it. */
import { describe, expect, test } from 'vitest';
import { OptedOut } from '../../src/register/do-not-call.ts';
import { ENGINES } from '../support/engines.ts';
import { rowsAt } from '../support/rows.ts';

const [ANN, BOB, CLEO] = [14_155_550_201, 14_155_550_202, 14_155_550_203] as const;

describe.each(ENGINES)('numbers that opted out, in $name', ({ places }) => {
  const place = places();

  async function lists() {
    const where = await place();
    return async (service = 'https://calls.example', organizationId = 1, isLocal = false) =>
      new OptedOut({ rows: await rowsAt(where), target: { service, isLocal, organizationId }, systemNow: () => 5 });
  }

  test('are known to everything of the service, in every spelling of its address and for every organization', async () => {
    const list = await lists();
    expect([...(await (await list()).phones())]).toEqual([]);
    await Promise.all([(await list()).add([ANN]), (await list()).add([ANN, BOB])]);
    for (const own of [await list(), await list('HTTPS://calls.example:443/'), await list(undefined, 2)]) {
      expect(await own.among([CLEO, BOB, ANN])).toEqual([ANN, BOB]);
      expect([...(await own.phones())].toSorted()).toEqual([ANN, BOB]);
    }
    for (const other of [await list('https://other.example'), await list('https://calls.example', 1, true)]) {
      expect(await other.among([ANN, BOB])).toEqual([]);
    }
  });

  test('are told from many, and when they were told first stays', async () => {
    const own = await (await lists())();
    const many = Array.from({ length: 25_000 }, (_none, at) => ANN + at);
    await own.add(many.filter((_phone, at) => at % 2 === 0));
    await own.add(many.slice(0, 3));
    expect(await own.among(many)).toHaveLength(12_501);
  });

  test('of the simulator are not known any more where the organization that they told begins anew', async () => {
    const list = await lists();
    const local = (organizationId: number, store = 'shop') => list(store, organizationId, true);
    await (await local(1)).add([ANN]);
    await (await local(2)).add([BOB]);
    await (await local(1, 'other')).add([ANN]);
    await (await local(1)).beginAnew();
    expect([...(await (await local(1)).phones())]).toEqual([BOB]);
    expect([...(await (await local(1, 'other')).phones())]).toEqual([ANN]);
    await (await local(1)).add([ANN]);
    expect(await (await local(2)).among([ANN])).toEqual([ANN]);
  });
});
