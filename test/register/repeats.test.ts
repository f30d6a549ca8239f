/**
 * Nobody is called again without a word of the operator: what counts is which phones a request shares with those that the same
 * service was sent before, in whatever file, order or spelling they come.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { calledBy } from '../../src/register/called.ts';
import type { Earlier } from '../../src/register/ledger.ts';
import { Callees } from '../../src/register/repeats.ts';
import { phoneKey } from '../../src/text/phone.ts';
import { type Behaviour, type CallingService, setUp } from '../support/calling-service.ts';
import fc from '../support/properties.ts';

const REFUSED = 2;
const DAMAGED = 9;
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
const call = (to: string) => ['call', to, '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const number = (ending: number) => `+141555501${ending}`;
const csv = (numbers: readonly string[]) => `phone_number\n${numbers.join('\n')}\n`;

/** Creates a campaign from standard input. */
const create = ({ operator }: CallingService, numbers: readonly string[], ...flags: string[]) =>
  operator.run([...CREATE, '--contacts', '-', ...flags], { input: csv(numbers) });

/** The numbers of each campaign that arrived. */
const campaigns = ({ posts }: CallingService): string[][] =>
  posts()
    .filter(({ path }) => path.endsWith('/create-campaign'))
    .map(({ body }) => JSON.parse(body).contacts.map((contact: { phone_number: string }) => contact.phone_number));

describe('what two lists share', () => {
  const numbers = fc.array(
    fc.stringMatching(/^\+(1415555010\d|521[2-3]00000000\d|52[2-3]00000000\d|55119?8765432\d)$/),
  );
  const digits = (list: readonly string[]) => calledBy(Float64Array.from(list, (one) => Number(one.slice(1))));
  const campaign = (entry: number) => ({ sent: { entry }, outcome: 'accepted' }) as Earlier;

  test('is what sets of their phones share, each phone told with the last campaign that called it', () => {
    fc.assert(
      fc.property(numbers, fc.array(numbers, { maxLength: 4 }), (list, earlier) => {
        const sets = earlier.map((one) => new Set(one.map(phoneKey)));
        const last = (one: string) => sets.findLastIndex((set) => set.has(phoneKey(one)));
        const { repeats, lastOf } = new Callees(digits(list)).repeatsOf(
          earlier.map((_, at) => campaign(at)),
          ({ sent }) => digits(earlier[sent.entry] ?? []).phones,
        );
        for (const one of list) expect(lastOf(one)?.before.sent.entry ?? -1).toBe(last(one));
        const phones = [...new Set(list.map(phoneKey))];
        for (const [at] of earlier.entries()) {
          const expected = phones.filter((phone) => last(phone) === at);
          const found = repeats.find(({ before }) => before.sent.entry === at);
          expect(found?.count ?? 0).toBe(expected.length);
          for (const phone of found?.first ?? []) expect(expected).toContain(`+${phone}`);
        }
      }),
    );
  });
});

describe.concurrent('what was sent before, and how it comes back', () => {
  interface Story {
    before: { numbers: number[]; behaviour?: Behaviour; flags?: string[] }[];
    next: number[];
    flags?: string[];
    /** The numbers that are sent, or the words of the refusal. */
    sends?: number[];
    says?: RegExp;
  }
  const stories: Record<string, Story> = {
    'a file split in two': {
      before: [{ numbers: [11, 12, 13, 14] }],
      next: [13, 14],
      says: /These 2 numbers were sent/,
    },
    'two campaigns in one file': {
      before: [{ numbers: [11, 12] }, { numbers: [13] }],
      next: [11, 13, 14],
      says: /2 of these 3 numbers were sent before\. Nothing was sent\.\n {2}1 number: .*"Spring", campaign 10 .*\n {2}1 number: .*campaign 9 /,
    },
    'who was left out the last time': {
      before: [{ numbers: [11] }, { numbers: [11, 12], flags: ['--exclude-sent'] }],
      next: [13],
      sends: [13],
    },
    'the rest, with --exclude-sent': {
      before: [{ numbers: [11, 12] }],
      next: [12, 13, 11, 14],
      flags: ['--exclude-sent'],
      sends: [13, 14],
    },
    'a campaign that was refused': { before: [{ numbers: [11], behaviour: 'refuses' }], next: [11], sends: [11] },
    'of unknown outcome': {
      before: [{ numbers: [11, 12], behaviour: 'fails' }],
      next: [12, 13],
      says: /1 of these 2 numbers may have been sent before: .* \(\+14155550112\); its outcome is unknown\. Nothing was sent\.\n.*--force .*vagent logs list --from/,
    },
    'of unknown outcome, with --again': {
      before: [{ numbers: [11], behaviour: 'fails' }],
      next: [11, 12],
      flags: ['--again'],
      says: /may have been sent before/,
    },
    'of unknown outcome, with --force': {
      before: [{ numbers: [11], behaviour: 'fails' }],
      next: [11, 12],
      flags: ['--force'],
      sends: [11, 12],
    },
    'of unknown outcome, with --exclude-sent': {
      before: [{ numbers: [11], behaviour: 'fails' }],
      next: [11, 12],
      flags: ['--exclude-sent'],
      sends: [12],
    },
    'of unknown outcome, then forced and accepted': {
      before: [
        { numbers: [11, 12], behaviour: 'fails' },
        { numbers: [11], flags: ['--force'] },
      ],
      next: [11],
      flags: ['--again'],
      sends: [11],
    },
    'of unknown outcome, then forced in part': {
      before: [
        { numbers: [11, 12], behaviour: 'fails' },
        { numbers: [11], flags: ['--force'] },
      ],
      next: [11, 12],
      flags: ['--again'],
      says: /1 of these 2 numbers may have been sent before: .*\(\+14155550112\)/,
    },
    'accepted, and of unknown outcome': {
      before: [{ numbers: [11] }, { numbers: [12], behaviour: 'fails' }],
      next: [11, 12],
      flags: ['--again'],
      says: /1 of these 2 numbers may have been sent before: .*\(\+14155550112\)/,
    },
  };
  for (const [name, { before, next, flags = [], sends, says }] of Object.entries(stories)) {
    describe(name, async () => {
      const shop = await setUp();
      test(sends ? 'are sent' : 'are refused: exit 2', async () => {
        for (const { numbers, behaviour = 'accepts', flags: given = [] } of before) {
          shop.next.behaviour = behaviour;
          await create(shop, numbers.map(number), ...given);
        }
        shop.next.behaviour = 'accepts';
        const sent = campaigns(shop).length;
        expect(sent).toBe(before.length);
        const { code, stderr } = await create(shop, next.map(number), ...flags);
        expect(code, stderr).toBe(sends ? 0 : REFUSED);
        if (says) expect(stderr).toMatch(says);
        expect(campaigns(shop).slice(sent)).toEqual(sends ? [sends.map(number)] : []);
      });
    });
  }

  describe('left out with --exclude-sent', async () => {
    const shop = await setUp();
    test('are counted as those of an exclusion list, and none left is exit 3', async () => {
      await create(shop, [11, 12].map(number));
      const { stderr } = await create(shop, [11, 13].map(number), '--exclude-sent');
      expect(stderr).toContain('1 of 2 rows accepted; 0 rejected, 0 duplicates, 1 excluded.');
      expect(stderr).toContain('Campaign 9 "Spring": 2 numbers, 1 row held back');
      expect(await create(shop, [13].map(number), '--exclude-sent')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('none of 1 rows is left to be called'),
      });
      expect(await create(shop, [14].map(number), '--exclude-sent', '--again')).toMatchObject({ code: REFUSED });
    });
  });

  describe('an old spelling of a number', async () => {
    const shop = await setUp();
    test('is the same phone: in campaigns, calls and what is left out', async () => {
      const [old, today] = ['+5215512345678', '+525512345678'];
      await create(shop, [old]);
      expect(await create(shop, [today, number(11)])).toMatchObject({ code: REFUSED });
      await create(shop, [today, number(11)], '--exclude-sent');
      expect(campaigns(shop)).toEqual([[old], [number(11)]]);
      shop.next.behaviour = 'fails';
      await shop.operator.run(call(today));
      shop.next.behaviour = 'accepts';
      expect(await shop.operator.run(call(old))).toMatchObject({ code: REFUSED });
    });
  });

  describe('a call of unknown outcome', async () => {
    const shop = await setUp();
    test('stands against a campaign that calls the number, until it is forced', async () => {
      shop.next.behaviour = 'fails';
      await shop.operator.run(call(number(11)));
      shop.next.behaviour = 'accepts';
      const { code, stderr } = await create(shop, [11, 12].map(number), '--again');
      expect({ code, sent: campaigns(shop) }).toEqual({ code: REFUSED, sent: [] });
      expect(stderr).toMatch(
        /1 of these 2 numbers may have been sent before: .* in a call of agent 3 \(\+14155550111\)/,
      );
      expect(stderr).toContain(`vagent logs list --to ${number(11)}`);
      await create(shop, [11, 12].map(number), '--exclude-sent');
      expect(campaigns(shop)).toEqual([[number(12)]]);
      expect(await create(shop, [11, 13].map(number), '--force')).toMatchObject({ code: 0 });
    });
  });

  describe('a call to somebody of a campaign', async () => {
    const shop = await setUp();
    test('is placed where it was accepted, and refused where nobody knows', async () => {
      await create(shop, [11, 12].map(number));
      expect(await shop.operator.run(call(number(11)))).toMatchObject({ code: 0 });
      shop.next.behaviour = 'fails';
      await create(shop, [13, 14].map(number));
      shop.next.behaviour = 'accepts';
      expect(await shop.operator.run(call(number(13)))).toMatchObject({
        code: REFUSED,
        stderr: expect.stringMatching(
          /\+14155550113 may be called by a campaign: .* as "Spring"; its outcome is unknown\. Nothing was sent\./,
        ),
      });
      expect(await shop.operator.run(call(number(11)))).toMatchObject({ code: 0 });
      expect(await shop.operator.run([...call(number(13)), '--force'])).toMatchObject({ code: 0 });
    });
  });

  describe('vagent api create-campaign', async () => {
    const shop = await setUp();
    test('passes the same guards, with the same flags', async () => {
      await create(shop, [11, 12].map(number));
      const contacts = [12, 13].map((ending) => ({ phone_number: number(ending) }));
      const input = JSON.stringify({ campaign_name: 'Raw', agent_id: 3, call_from: '+14155550100', contacts });
      const api = (...flags: string[]) =>
        shop.operator.run(['api', 'create-campaign', '--input', '-', ...flags], { input });
      expect(await api()).toMatchObject({
        code: REFUSED,
        stderr: expect.stringContaining('1 of these 2 numbers was sent before'),
      });
      expect(await api('--exclude-sent')).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('2 numbers, 1 row held back'),
      });
      expect(await api('--exclude-sent')).toMatchObject({ code: 3 });
      expect(await api('--again')).toMatchObject({ code: 0 });
      expect(campaigns(shop).slice(1)).toEqual([[number(13)], [number(12), number(13)]]);
    });
  });

  describe('a rehearsal', async () => {
    const shop = await setUp();
    test('leaves out with --exclude-sent, and refuses nothing', async () => {
      await create(shop, [11, 12].map(number));
      const rehearse = ['campaign', 'rehearse', '--agent', '3', '--from', '+14155550100', '--contacts', '-', '--json'];
      const contacts = async (...flags: string[]) => {
        const { stdout } = await shop.operator.run([...rehearse, ...flags], { input: csv([12, 13].map(number)) });
        return JSON.parse(stdout).contacts;
      };
      expect([await contacts(), await contacts('--exclude-sent')]).toEqual([2, 1]);
      expect(campaigns(shop)).toHaveLength(1);
    });
  });

  describe('a dry run', async () => {
    const shop = await setUp();
    test('warns in the same words, and leaves out with --exclude-sent', async () => {
      await create(shop, [11].map(number));
      const refused = await create(shop, [11, 12].map(number));
      const dry = await create(shop, [11, 12].map(number), '--dry-run');
      const [, sentence = ''] = /vagent: (.*)\n/.exec(refused.stderr) ?? [];
      expect(dry).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(`Warning: this would be refused: ${sentence}`),
      });
      const { stdout } = await create(shop, [11, 12].map(number), '--dry-run', '--exclude-sent');
      expect(JSON.parse(stdout).body.contacts).toEqual([{ phone_number: number(12) }]);
      expect(campaigns(shop)).toHaveLength(1);
    });
  });
});

describe.concurrent('the same service in another spelling of its base URL', async () => {
  const shop = await setUp();
  const { port } = new URL(shop.server.url);
  const spellings = [
    `http://localhost:${port}/api`,
    `http://127.1:${port}/api/`,
    `http://127.0.0.1:0${port}//api`,
    `HTTP://LOCALHOST:${port}/%61pi`,
  ];
  test('is sent nobody again', async () => {
    await create(shop, [11].map(number));
    shop.next.behaviour = 'fails';
    await shop.operator.run(call(number(12)));
    shop.next.behaviour = 'accepts';
    for (const url of spellings) {
      expect(await create(shop, [11].map(number), '--base-url', url), url).toMatchObject({ code: REFUSED });
      expect(await shop.operator.run([...call(number(12)), '--base-url', url]), url).toMatchObject({
        code: REFUSED,
      });
      const list = await shop.operator.run(['campaign', 'list', '-o', 'ids', '--base-url', url]);
      expect(list.stdout, url).toBe('9\n');
    }
    expect(shop.posts()).toHaveLength(2);
  });
});

describe.concurrent('kept contacts', () => {
  const harms: Record<string, { harm: (folder: string) => void; code: number }> = {
    'without the phones beside them, as an earlier version kept them': {
      harm: (at) => rmSync(join(at, '1.phones')),
      code: REFUSED,
    },
    'with phones that were cut off': {
      harm: (at) => edit(join(at, '1.phones'), (bytes) => bytes.subarray(0, -8)),
      code: REFUSED,
    },
    'with phones of another campaign': {
      harm: (at) => edit(join(at, '1.phones'), (bytes) => bytes.fill(7, 40, 41)),
      code: REFUSED,
    },
    'with a folder where the phones belong': { harm: folderFor('1.phones'), code: REFUSED },
    'that are gone': { harm: (at) => rmAll(at), code: DAMAGED },
    'that were cut off': {
      harm: (at) => {
        rmSync(join(at, '1.phones'));
        edit(join(at, '1.jsonl'), (bytes) => bytes.subarray(0, -12));
      },
      code: DAMAGED,
    },
    'of other numbers': {
      harm: (at) => {
        rmSync(join(at, '1.phones'));
        edit(join(at, '1.jsonl'), (bytes) => Buffer.from(bytes.toString().replace('0111', '0119')));
      },
      code: DAMAGED,
    },
    'that are no JSON': {
      harm: (at) => {
        rmSync(join(at, '1.phones'));
        edit(join(at, '1.jsonl'), (bytes) => bytes.fill('x', 2, 9));
      },
      code: DAMAGED,
    },
  };
  for (const [name, { harm, code }] of Object.entries(harms)) {
    describe(name, async () => {
      const shop = await setUp();
      const kept = join(shop.operator.home, '.local/state/vagent/campaigns');
      test(
        code === REFUSED
          ? 'are compared all the same'
          : 'are told, and nothing is sent before the operator says so: exit 9',
        async () => {
          await create(shop, [11, 12].map(number));
          harm(kept);
          for (const flags of [[], ['--exclude-sent']]) {
            const { code: exit, stderr } = await create(shop, [12, 13].map(number), ...flags, '--dry-run');
            const isRefused = /would be refused|cannot be read any more/.test(stderr);
            if (code === DAMAGED)
              expect({ isRefused, stderr }).toEqual({
                isRefused: true,
                stderr: expect.stringContaining('as "Spring"'),
              });
            else expect(exit, stderr).toBe(0);
          }
          const { code: exit, stderr } = await create(shop, [12, 13].map(number));
          expect(exit, stderr).toBe(code);
          // What is the same list as a whole is known by the register itself.
          expect(await create(shop, [12, 11].map(number))).toMatchObject({ code: REFUSED });
          expect(campaigns(shop)).toHaveLength(1);
          if (code === REFUSED && !name.includes('folder')) expect(readdirSync(kept)).toContain('1.phones');
          expect(await create(shop, [12, 13].map(number), '--again')).toMatchObject({ code: 0 });
        },
      );
    });
  }
});

function edit(path: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, change(readFileSync(path)));
}

function rmAll(folder: string): void {
  rmSync(folder, { recursive: true });
}

function folderFor(name: string): (at: string) => void {
  return (at) => {
    rmSync(join(at, name));
    mkdirSync(join(at, name));
  };
}

describe.concurrent('several programs at once', async () => {
  const shop = await setUp();
  test('whose files share a number: one of them is sent', async () => {
    const inputs = [
      [11, 12],
      [12, 13],
      [13, 14, 12],
    ].map((endings) => csv(endings.map(number)));
    const outcomes = await Promise.all(
      inputs.map((input) => shop.operator.runProgram([...CREATE, '--contacts', '-'], { input })),
    );
    const refused = outcomes.filter(({ code }) => code === REFUSED);
    expect(refused.length).toBe(2);
    for (const { stderr } of refused) expect(stderr).toMatch(/sent before/);
    expect(campaigns(shop)).toHaveLength(1);
  });
});
