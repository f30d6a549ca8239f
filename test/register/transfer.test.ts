/** What was sent from one machine, taken over by another: whole, once, and so that the guards know it there. */

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WrittenLine } from '../../src/register/lines.ts';
import { Register } from '../../src/register/register.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { type CallingService, setUp } from '../support/calling-service.ts';
import { Operator } from '../support/program.ts';

const TO = '+14155550123';
const CALL = ['call', TO, '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
const ANA =
  'phone_number,custom_first_line,custom_identifiers,note\n+14155550190,Hi Ana sk-PLANTED-key,crm-1," two\nlines "\n' +
  '+14155550191,,crm-2,\n';
const BOB = 'phone_number\n+14155550195\n';

const create = (operator: Operator, input: string, ...flags: string[]) =>
  operator.run([...CREATE, ...flags, '--contacts', '-'], { input });

const stateOf = ({ home }: Operator) => join(home, '.local/state/vagent');
const registerOf = (operator: Operator) =>
  new Register({ state: ownState(stateOf(operator)), systemNow: () => 0, command: 'test', warn: () => {} });

/** Another machine that works with the same service. */
function another({ server }: CallingService): Operator {
  const env = { VAGENT_BASE_URL: `${server.url}/api`, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'sk-PLANTED-key' };
  return new Operator({ env });
}

async function exported(operator: Operator): Promise<string> {
  const { code, stdout } = await operator.run(['register', 'export']);
  expect(code).toBe(0);
  return stdout;
}

const takeOver = (operator: Operator, input: string | Buffer) => operator.run(['register', 'import', '-'], { input });

/** The requests of an export without the numbers of their entries, in no order. */
function contentOf(text: string): string[] {
  const blocks = text.split('\n{"request":').slice(1);
  return blocks.map((block) => block.replaceAll(/"entry":\d+|"part_of":\d+|\n\{"end.*\n$/g, '')).sort();
}

const linesOf = (operator: Operator): WrittenLine[] =>
  readFileSync(join(stateOf(operator), 'register.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Changes a register by hand. */
function edit(operator: Operator, change: (text: string) => string): void {
  const path = join(stateOf(operator), 'register.jsonl');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

const read = (register: Register, entry: number) => {
  const rows = register.rowsOf(entry);
  return { contacts: register.contactsOf(entry), rows: rows && { ...rows, rows: [...rows.rows] } };
};

describe.concurrent('a round trip', async () => {
  const shop = await setUp();
  const { operator, next } = shop;
  const other = another(shop);
  test('brings everything, without the key, and once', async () => {
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    next.behaviour = 'refuses';
    expect(await create(operator, BOB)).toMatchObject({ code: 6 });
    next.behaviour = 'fails';
    expect(await operator.run(CALL)).toMatchObject({ code: 8 });
    next.behaviour = 'accepts';
    const out = join(operator.home, 'sent.ndjson');
    expect(await operator.run(['register', 'export', '--out', out])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `3 requests and 2 contacts written to ${out}.\n`,
    });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const text = readFileSync(out, 'utf8');
    expect(text).not.toContain('PLANTED');
    expect(text).toBe(await exported(operator));

    expect(await other.run(['register', 'import', out])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '3 requests added, 0 here already, 0 of them completed.\n',
    });
    expect(linesOf(other)).toEqual(linesOf(operator));
    expect(read(registerOf(other), 1)).toEqual(read(registerOf(operator), 1));
    expect(await exported(other)).toBe(text);

    const before = readFileSync(join(stateOf(other), 'register.jsonl'));
    expect(await takeOver(other, text)).toMatchObject({
      code: 0,
      stderr: '0 requests added, 3 here already, 0 of them completed.\n',
    });
    expect(readFileSync(join(stateOf(other), 'register.jsonl'))).toEqual(before);
    // And home again.
    expect(await takeOver(operator, await exported(other))).toMatchObject({ stderr: expect.stringMatching(/^0 req/) });

    // The guards know it.
    expect(await create(other, ANA)).toMatchObject({ code: 2, stderr: expect.stringContaining('were sent before') });
    expect(await other.run(CALL)).toMatchObject({ code: 2 });
    expect(await create(other, BOB)).toMatchObject({ code: 0 });
    expect(await other.run(['campaign', 'results', '9'])).toMatchObject({ code: 0 });
  });
});

describe.concurrent('two machines that both sent', async () => {
  const shop = await setUp();
  const { operator } = shop;
  const other = another(shop);
  test('know the same afterwards, each under its own numbers', async () => {
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    expect(await create(other, BOB)).toMatchObject({ code: 0 });
    expect(await create(other, 'phone_number\n+14155550196\n')).toMatchObject({ code: 0 });
    edit(other, (text) => text.replace('{"entry":2,"event":"sent",', '{"entry":2,"event":"sent","part_of":1,'));
    expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    const [one, two] = [await exported(operator), await exported(other)];
    expect(await takeOver(operator, two)).toMatchObject({ stderr: expect.stringMatching(/^2 requests added/) });
    expect(await takeOver(other, one)).toMatchObject({ stderr: expect.stringMatching(/^2 requests added/) });
    expect(contentOf(await exported(operator))).toEqual(contentOf(await exported(other)));
    expect(contentOf(await exported(operator))).toEqual([...contentOf(one), ...contentOf(two)].sort());

    const { campaigns } = registerOf(operator).campaigns(`${shop.server.url}/api`, 7);
    expect(campaigns.map(({ sent }) => [sent.entry, sent.part_of])).toEqual([
      [4, 3],
      [3, undefined],
      [1, undefined],
    ]);
    expect(registerOf(operator).contactsOf(4)).toEqual([{ phone_number: '+14155550196' }]);
    for (const [who, input] of [
      [operator, BOB],
      [other, ANA],
    ] as const) {
      expect(await create(who, input)).toMatchObject({ code: 2 });
      expect(await create(who, 'phone_number\n+14155550199\n', '--again')).toMatchObject({ code: 0 });
    }
  });
});

describe.concurrent('an outcome', () => {
  const versions = ['"accepted"', '"refused"', '"not_sent"'];
  for (const known of versions) {
    describe(`that is unknown here and ${known} there`, async () => {
      const shop = await setUp();
      const { operator, next } = shop;
      const other = another(shop);
      test('is completed, and never the other way', async () => {
        next.behaviour = 'fails';
        expect(await create(operator, ANA)).toMatchObject({ code: 8 });
        expect(await operator.run(CALL)).toMatchObject({ code: 8 });
        next.behaviour = 'accepts';
        cpSync(stateOf(operator), stateOf(other), { recursive: true });
        // Of the call, this machine does not even know that it ended.
        edit(other, (text) => text.split('\n').slice(0, 3).join('\n').concat('\n'));
        const unknown = await exported(other);
        edit(operator, (text) => text.replaceAll('"outcome":"unknown"', `"outcome":${known}`));
        expect(await takeOver(other, await exported(operator))).toMatchObject({
          code: 0,
          stderr: '0 requests added, 2 here already, 2 of them completed.\n',
        });
        expect(linesOf(other)).toEqual(linesOf(operator));
        const isGone = known !== '"accepted"';
        expect(existsSync(join(stateOf(other), 'campaigns/1.jsonl'))).toBe(!isGone);
        expect(await other.run(CALL)).toMatchObject({ code: 0 });
        expect(await create(other, ANA)).toMatchObject({ code: isGone ? 0 : 2 });

        const before = readFileSync(join(stateOf(operator), 'register.jsonl'), 'utf8');
        expect(await takeOver(operator, unknown)).toMatchObject({
          stderr: '0 requests added, 2 here already, 0 of them completed.\n',
        });
        expect(readFileSync(join(stateOf(operator), 'register.jsonl'), 'utf8')).toBe(before);
      });
    });
  }
});

describe.concurrent('what came after what', async () => {
  const shop = await setUp();
  const { operator, next } = shop;
  const other = another(shop);
  test('goes by time, not by when it was taken over', async () => {
    // There: accepted, then unknown to another number. Here: unknown after the first, accepted after the second.
    const second = CALL.map((word) => (word === TO ? '+14155550124' : word));
    expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    next.behaviour = 'fails';
    expect(await operator.run(second)).toMatchObject({ code: 8 });
    expect(await other.run(CALL)).toMatchObject({ code: 8 });
    next.behaviour = 'accepts';
    expect(await other.run(second)).toMatchObject({ code: 0 });
    expect(await takeOver(other, await exported(operator))).toMatchObject({ code: 0 });
    expect(await other.run(CALL)).toMatchObject({ code: 2 });
    expect(await other.run(second)).toMatchObject({ code: 0 });
  });
});

describe.concurrent('what was forgotten here', async () => {
  const shop = await setUp();
  const { operator } = shop;
  test('stays forgotten, and is still the same request', async () => {
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    const before = await exported(operator);
    const forgotten = await operator.run(['campaign', 'forget', '--keep-days', '0', '--force', '--yes']);
    expect(forgotten).toMatchObject({ code: 0 });
    expect(await takeOver(operator, before)).toMatchObject({
      stderr: expect.stringMatching(/^0 requests added, 2 here/),
    });
    expect(readdirSync(join(stateOf(operator), 'campaigns'))).toEqual([]);
    const text = await exported(operator);
    expect(text).not.toMatch(/4155550190|4155550123|Ana/);
    const other = another(shop);
    expect(await takeOver(other, text)).toMatchObject({ stderr: expect.stringMatching(/^2 requests added/) });
    expect(await create(other, ANA)).toMatchObject({ code: 0 });
  });
});

describe.concurrent('what was forgotten elsewhere', async () => {
  const shop = await setUp();
  const { operator, next } = shop;
  test('is taken over from an export that still has it, whichever comes first', async () => {
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    next.behaviour = 'fails';
    expect(await operator.run(CALL)).toMatchObject({ code: 8 });
    next.behaviour = 'accepts';
    const full = await exported(operator);
    const contacts = read(registerOf(operator), 1);
    const other = another(shop);
    cpSync(stateOf(operator), stateOf(other), { recursive: true });
    expect(await operator.run(['campaign', 'forget', '--keep-days', '0', '--force', '--yes'])).toMatchObject({
      code: 0,
    });
    const third = another(shop);
    const first = await takeOver(third, await exported(operator));
    expect(first.stderr).toMatch(/^2 requests added[\s\S]*3 people of 2 requests were forgotten and not taken over/);
    const { stderr } = await takeOver(third, full);
    expect(stderr).toMatch(/^0 requests added, 2 here already, 0 of them completed\.\nWhom 2 requests of them called/);
    expect(stderr).not.toContain('forgotten');
    expect(linesOf(third)).toEqual(linesOf(other));
    expect(read(registerOf(third), 1)).toEqual(contacts);
    expect(await create(third, ANA)).toMatchObject({ code: 2, stderr: expect.stringContaining('were sent before') });
    expect(await third.run(CALL)).toMatchObject({ code: 2 });
    expect((await takeOver(third, full)).stderr).toBe('0 requests added, 2 here already, 0 of them completed.\n');

    // Where somebody chose to forget them, they stay forgotten, and that is said.
    expect((await takeOver(operator, full)).stderr).toContain(
      '3 people of 2 requests were forgotten and not taken over',
    );
    expect(readdirSync(join(stateOf(operator), 'campaigns'))).toEqual([]);
  });
});

describe.concurrent('rows that came later', async () => {
  const shop = await setUp();
  const { operator } = shop;
  test('complete a campaign that came without them', async () => {
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    expect(await create(operator, BOB)).toMatchObject({ code: 0 });
    const full = await exported(operator);
    const rows = join(stateOf(operator), 'campaigns/1.rows.jsonl');
    const text = readFileSync(rows);
    rmSync(rows);
    const other = another(shop);
    expect(await takeOver(other, await exported(operator))).toMatchObject({ code: 0 });
    expect(read(registerOf(other), 1).rows).toBeUndefined();
    const before = linesOf(other);
    expect(await takeOver(other, full)).toMatchObject({
      code: 0,
      stderr:
        '0 requests added, 2 here already, 0 of them completed.\nThe rows of the file of 1 request were not here, and are now.\n',
    });
    expect(linesOf(other)).toEqual(before);
    expect(readFileSync(join(stateOf(other), 'campaigns/1.rows.jsonl'))).toEqual(text);
    expect(read(registerOf(other), 1).rows?.rows).toHaveLength(2);
    expect(await takeOver(other, full)).toMatchObject({ stderr: expect.not.stringContaining('rows') });
    expect(await exported(other)).toBe(full);
  });
});

describe.concurrent('the same campaign under the name of another sender', async () => {
  const shop = await setUp();
  const { operator } = shop;
  test('is the same if the service gave it one id', async () => {
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    const other = another(shop);
    cpSync(stateOf(operator), stateOf(other), { recursive: true });
    edit(other, (text) => text.replace(/"by":"[^"]+"/, '"by":"ana@old-desk"'));
    const { stderr } = await takeOver(operator, await exported(other));
    expect(stderr).toBe('0 requests added, 1 here already, 0 of them completed.\n');
    edit(other, (text) => text.replace('"campaign_id":9', '"campaign_id":10'));
    expect(await takeOver(operator, await exported(other))).toMatchObject({
      stderr: expect.stringMatching(/^1 request a/),
    });
  });
});

describe('what names the entries of an import that was stopped', async () => {
  const shop = await setUp();
  const { operator } = shop;
  test.each(['', '{}', 'nonsense', '{"first":1', '{"first":"a","last":null}\n'])(
    'damaged as %j: exit 9',
    async (mark) => {
      const path = join(stateOf(operator), 'register.import');
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      const text = await exported(operator);
      writeFileSync(path, mark);
      for (const args of [CALL, ['campaign', 'forget', '--keep-days', '9', '--yes'], ['register', 'import', '-']]) {
        const { code, stderr } = await operator.run(args, { input: text });
        expect({ code, stderr }).toMatchObject({
          code: 9,
          stderr: expect.stringMatching(/register\.import is damaged: it/),
        });
        expect(stderr).toContain('Remove it, and the files in');
        expect(stderr).not.toContain('    at ');
      }
      const { stdout, stderr } = await operator.run(['doctor']);
      expect(stdout + stderr).toContain('register.import is damaged');
      expect(stdout + stderr).not.toContain('sound');
      rmSync(path);
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    },
  );
});

describe('a file that is not whole', async () => {
  const shop = await setUp();
  const { operator, next } = shop;
  const other = another(shop);
  await create(operator, ANA);
  await operator.run(CALL);
  next.behaviour = 'fails';
  await create(operator, BOB);
  next.behaviour = 'accepts';
  await operator.run(['call', '+14155550177', ...CALL.slice(2)]);
  const whole = await exported(operator);
  await other.run(['call', '+14155550178', ...CALL.slice(2)]);
  const image = () =>
    readdirSync(stateOf(other), { recursive: true }).map((name) => {
      const path = join(stateOf(other), String(name));
      return [name, statSync(path).isFile() && name !== 'register.lock' ? readFileSync(path, 'latin1') : ''];
    });
  const lines = whole.trimEnd().split('\n');
  const without = (at: number) => `${lines.filter((_line, index) => index !== at).join('\n')}\n`;

  const exchanged = (text: string, at: number) => {
    const [one = '', two = ''] = lines.slice(at, at + 2);
    return text.replace(`${one}\n${two}\n`, `${two}\n${one}\n`);
  };

  const harms: Record<string, [text: string | Buffer, told: RegExp]> = {
    ...Object.fromEntries(
      lines.map((_line, at) => [
        `cut off after ${at} lines`,
        [`${lines.slice(0, at).join('\n')}\n`, /cut off|not an exp|dam/],
      ]),
    ),
    ...Object.fromEntries(
      lines.map((line, at) => [`without line ${at + 1}: ${line.slice(0, 20)}`, [without(at), /line|not an/]]),
    ),
    'cut off within its last line': [whole.slice(0, -10), /is damaged: it is not a JSON object/],
    'with a line twice': [whole.replace(lines[2] ?? '', `${lines[2]}\n${lines[2]}`), /where there should be none|line/],
    'with a request twice': [whole.replace('{"end"', `${lines.at(-2)}\n{"end"`), /repeats entry|counts|line/],
    'with another number': [
      whole.replace('{"phone_number":"+14155550191"', '{"phone_number":"+14155550198"'),
      /are not those/,
    ],
    'with a number that is none': [
      whole.replace('{"phone_number":"+14155550191"', '{"phone_number":"14155"'),
      /not a contact/,
    ],
    'with a line of another kind': [
      whole.replace('{"end"', '{"wish":1}\n{"end"'),
      /kind that this vagent does not know/,
    ],
    'with a line behind its end': [`${whole}{"end":{}}\n`, /follows the last line/],
    'of a newer version': [whole.replace('{"vagent_register":1}', '{"vagent_register":2}'), /has format 2/],
    'with a line that is not JSON': [
      whole.replace('{"contact":', '{contact:'),
      /line 3 is damaged: it is not a JSON object/,
    ],
    'with the number of a call changed': [
      whole.replace('"+14155550177"', '"+14155550179"'),
      /was changed after it was/,
    ],
    'with a text changed': [whole.replace('Hi Ana', 'Hi Eve'), /was changed after it was exported/],
    'with two rows exchanged': [
      exchanged(
        whole,
        lines.findIndex((line) => line.startsWith('{"row"')),
      ),
      /was changed/,
    ],
    'with a byte that is no UTF-8': [Buffer.from(whole.replace('Hi Ana', 'Hi An\xe1'), 'latin1'), /was changed/],
    'without a hash': [whole.replace(/,"sha256":"\w+"/, ''), /was changed after it was exported/],
    'that is a register': [
      readFileSync(join(stateOf(operator), 'register.jsonl'), 'utf8'),
      /is not an exported register/,
    ],
    'that is a list': ['phone_number\n+14155550190\n', /is not an exported register/],
    'that is empty': ['', /is not an exported register/],
    'that is null': ['null\n', /is not an exported register/],
  };
  test.each(Object.entries(harms))('%s: exit 3, and nothing is taken over', async (_name, [text, told]) => {
    const before = image();
    const { code, stdout, stderr } = await takeOver(other, text);
    expect(stderr).toMatch(told);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(image()).toEqual(before);
  });

  test('a file that is not there: exit 9', async () => {
    expect(await other.run(['register', 'import', 'gone.ndjson'])).toMatchObject({ code: 9 });
  });

  test('a register that is damaged is neither exported nor added to: exit 9', async () => {
    const third = another(shop);
    await third.run(CALL);
    edit(third, (text) => `nonsense\n${text}`);
    expect(await third.run(['register', 'export'])).toMatchObject({ code: 9, stdout: '' });
    expect(await takeOver(third, whole)).toMatchObject({ code: 9 });
    expect(readdirSync(stateOf(third))).not.toContain('campaigns');
  });

  test('whole, it is taken over', async () => {
    expect(await takeOver(other, whole)).toMatchObject({ stderr: expect.stringMatching(/^4 requests added/) });
    expect(contentOf(await exported(other))).toHaveLength(5);
  });
});
