/**
 * The register and its guards, as an operator meets them: what the server receives, what the exit code and the sentences say,
 * and what is kept.
 */
import { createHash } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Behaviour, type CallingService, setUp } from '../support/calling-service.ts';
import { startServer } from '../support/http.ts';
import type { Outcome } from '../support/program.ts';
import { outcomesOf, type RequestRow } from '../support/rows.ts';
import { UnderWay } from '../support/under-way.ts';

const TO = '+14155550123';
const CALL = ['call', TO, '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const callTo = (number: string) => ['call', number, ...CALL.slice(2)];
/** A test with a service and an operator of its own. */
const inShop = (name: string, body: (shop: CallingService) => Promise<void>) =>
  describe(name, async () => {
    const shop = await setUp();
    test.concurrent('it is so', () => body(shop));
  });
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
const REFUSED = 2;
const HOUR = 3_600_000;
const number = (ending: number) => `+141555501${ending}`;
const csv = (numbers: readonly string[]) => `phone_number\n${numbers.join('\n')}\n`;

/** Ctrl-C as soon as its request has arrived. */
async function interruptedInFlight({ operator, next }: CallingService, args: string[]): Promise<Outcome> {
  next.behaviour = 'hangs';
  const arrived = new Promise<void>((resolve) => {
    next.arrived = resolve;
  });
  const command = UnderWay.here(operator, args);
  await arrived;
  const outcome = await command.interrupt();
  next.arrived = () => {};
  next.behaviour = 'accepts';
  return outcome;
}

describe('what is written down', () => {
  inShop('a call is there before it arrives, and completed after, in a file of the owner alone', async (shop) => {
    const { operator, requests, next, state } = shop;
    let before: RequestRow[] = [];
    next.arrived = async () => {
      before = await requests();
    };
    expect(await operator.run([...CALL, '--identifier', 'crm-7 sk-PLANTED-key'])).toMatchObject({ code: 0 });
    const texts = { custom_first_line: 'Hello.', custom_identifiers: 'crm-7 <API_KEY>' };
    const sent = {
      ...{ entry: 1, operation: 'trigger-call', service: `${shop.server.url}/api`, organization_id: 7 },
      ...{ request: { use_agent_id: 3, called_to: TO, call_from: '+14155550100', ...texts } },
      sent_by: expect.stringMatching(/^.+@.+$/),
    };
    expect(before).toMatchObject([{ ...sent, outcome: null, reply: null }]);
    const ended = { ended_at: expect.any(Number), clock_ahead: expect.any(Number) };
    expect(await requests()).toMatchObject([{ ...sent, outcome: 'accepted', reply: { success: true }, ...ended }]);
    for (const name of readdirSync(state, { withFileTypes: true })) {
      const wanted = name.isDirectory() ? 0o700 : 0o600;
      expect([name.name, statSync(join(state, name.name)).mode & 0o777]).toEqual([name.name, wanted]);
    }
  });

  describe('the clock of the service', async () => {
    const { operator, requests } = await setUp();
    const answers = (how: (response: ServerResponse) => void) =>
      startServer((_request, response) => {
        how(response);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}');
      });
    const ahead = await answers((response) => response.setHeader('date', new Date(Date.now() + HOUR).toUTCString()));
    const silent = await answers((response) => {
      response.sendDate = false;
    });
    test('that is an hour ahead is written down with the outcome, and one that is not told is not guessed', async () => {
      for (const { url } of [ahead, silent]) await operator.run(CALL, { env: { VAGENT_BASE_URL: url } });
      const [told, untold] = await requests();
      expect(Math.abs(Number(told?.clock_ahead) - HOUR)).toBeLessThan(60_000);
      expect(untold?.clock_ahead).toBeNull();
    });
  });
});

describe('a campaign', () => {
  inShop('is written down as it was sent, with the hash of its file', async ({ operator, requests }) => {
    const input = csv([number(2)]);
    expect(await operator.run([...CREATE, '--contacts', '-'], { input })).toMatchObject({ code: 0 });
    const request = { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100' };
    const file_sha256 = createHash('sha256').update(input).digest('hex');
    expect(await requests()).toMatchObject([{ request, file: '-', file_sha256 }]);
  });

  inShop('of unknown outcome is told to the next one that calls its people', async ({ operator, next }) => {
    const create = (...endings: number[]) =>
      operator.run([...CREATE, '--contacts', '-', '--again'], { input: csv(endings.map(number)) });
    next.behaviour = 'fails';
    expect(await create(15)).toMatchObject({ code: 8 });
    next.behaviour = 'accepts';
    const says =
      /1 of these 2 numbers may have been sent before: .* as "Spring" \(\+14155550115\); its outcome is unknown\./;
    const { code, stderr } = await create(11, 15);
    expect([code, stderr]).toEqual([REFUSED, expect.stringMatching(says)]);
    expect(stderr).toMatch(/Nothing was sent\.\n.*--force .*vagent logs list --from/);
  });
});

describe('a request whose outcome is unknown', () => {
  inShop('is one that Ctrl-C has ended: it is in the list, and refused the next time', async (shop) => {
    const { operator, posts, requests } = shop;
    const { code, stderr } = await interruptedInFlight(shop, CALL);
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringMatching(/Interrupted while \/trigger-call was under way: it may have been carried out/),
    });
    expect(stderr).toContain(`vagent logs list --to ${TO} --from +14155550100 --agent 3 --start-date`);
    expect(outcomesOf(await requests())).toEqual(['1 unknown']);
    writeFileSync(join(operator.home, 'c.csv'), csv([number(11)]));
    const args = [...CREATE, '--contacts', 'c.csv'];
    expect(await interruptedInFlight(shop, args)).toMatchObject({ code: 130 });
    for (const again of [CALL, args]) expect(await operator.run(again)).toMatchObject({ code: REFUSED });
    expect(await operator.run(callTo(number(11)))).toMatchObject({
      code: REFUSED,
      stderr: expect.stringMatching(
        /\+14155550111 may be called by a campaign: .* as "Spring"; its outcome is unknown\. Nothing was sent\./,
      ),
    });
    expect(posts()).toHaveLength(2);
    const listed = [{ campaign_id: null, campaign_name: 'Spring', outcome: 'unknown' }];
    expect(await operator.json(['campaign', 'list'])).toMatchObject({ campaigns: listed });
    expect(await operator.run([...args, '--force'])).toMatchObject({ code: 0 });
  });
});

inShop('campaign list shows what was accepted or is unknown, newest first, and asks nobody', async (shop) => {
  const { operator, next, posts } = shop;
  expect(await operator.json(['campaign', 'list'])).toEqual({ campaigns: [] });
  for (const [name, behaviour] of [
    ['0101', 'accepts'],
    ['0102', 'refuses'],
    ['0103', 'fails'],
  ] as [string, Behaviour][]) {
    next.behaviour = behaviour;
    const named = CREATE.map((word) => (word === 'Spring' ? name : word));
    await operator.run([...named, '--contacts', '-'], { input: csv([`+1415555${name}`]) });
  }
  const env = { VAGENT_API_KEY: '', VAGENT_ORG_ID: '' };
  const fields = ['campaign', 'list', '--fields', 'campaign_name,campaign_id,outcome'];
  const { stdout, code } = await operator.run(fields, { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0103\t\tunknown\n0101\t9\taccepted\n' });
  const accepted = { status: 'running', total_contacts: 1, agent_id: 3, file: '-', entry: 1 };
  const listed = [{ status: null, entry: 3 }, accepted];
  expect(await operator.json(['campaign', 'list'])).toMatchObject({ campaigns: listed });
  expect(posts()).toHaveLength(3);
});
