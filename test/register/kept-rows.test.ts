/** The original rows of a campaign's contacts: kept as they were in the file, in the order in which they were sent. */

import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SEED, initialState } from '../../src/engine/state.ts';
import { FileError } from '../../src/errors.ts';
import { systemFiles } from '../../src/files/file-system.ts';
import { JsonStore } from '../../src/local/json/json-store.ts';
import { Register } from '../../src/register/register.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { setUp } from '../support/calling-service.ts';
import { Operator } from '../support/program.ts';

const CREATE = ['campaign', 'create', '--name', 'Spring', '--from', '+14155550100', '--yes', '--contacts', '-'];
const ON_SERVICE = [...CREATE, '--agent', '3'];
const LOCALLY = [...CREATE, '--agent', '1', '--local', '--store', 'shop'];

const INPUT = `\ufeff Name ;Mobile  Number;;note\r\n\
 Ana ; (415) 555-0190;a;"two\r\nlines"\r\n\
Bob;not a number;b;\r\n\
;;;\r\n\
Cid;(415) 555-0191;c;""" sk-PLANTED-key"\r\n`;
const FLAGS = ['--country', 'US', '--skip-invalid'];
const COLUMNS = [' Name ', 'Mobile  Number', '', 'note'];
const ANA = [' Ana ', ' (415) 555-0190', 'a', 'two\r\nlines'];
const CID = ['Cid', '(415) 555-0191', 'c', '" <API_KEY>'];

const registerOf = ({ home }: Operator) => {
  const folder = join(home, '.local/state/vagent');
  return new Register({ state: ownState(folder), systemNow: () => 0, command: 'test', warn: () => {} });
};

const storeOf = ({ home }: Operator) =>
  new JsonStore({
    fs: systemFiles,
    folder: join(home, 'shop'),
    initial: () => initialState({ seed: DEFAULT_SEED, now: 0, empty: false }),
    timeoutMs: 0,
    command: 'test',
  });

const rowsInStore = async (operator: Operator, campaignId: number) =>
  (await storeOf(operator).snapshot()).rowsOf(campaignId);

const read = (found: ReturnType<Register['rowsOf']>) => found && { ...found, rows: [...found.rows] };

describe.concurrent('on a real service', () => {
  describe('the rows that were accepted', async () => {
    const { operator } = await setUp();
    test('are kept untrimmed, with the columns as the file spells them, in a file of the owner alone', async () => {
      expect(await operator.run([...ON_SERVICE, ...FLAGS], { input: INPUT })).toMatchObject({ code: 0 });
      const register = registerOf(operator);
      expect(read(register.rowsOf(1))).toEqual({ columns: COLUMNS, rows: [ANA, CID] });
      expect(register.contactsOf(1)).toHaveLength(2);
      const path = join(operator.home, '.local/state/vagent/campaigns/1.rows.jsonl');
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path, 'utf8')).not.toContain('PLANTED');
    });
    test('of those that were sent before are left out with --exclude-sent', async () => {
      const input = 'phone,name\n+14155550192,Dan\n+14155550191,Cid\n+14155550193,Eve\n';
      expect(await operator.run([...ON_SERVICE, '--exclude-sent'], { input })).toMatchObject({ code: 0 });
      const register = registerOf(operator);
      expect(read(register.rowsOf(2))?.rows).toEqual([
        ['+14155550192', 'Dan'],
        ['+14155550193', 'Eve'],
      ]);
      expect(register.contactsOf(2).map(({ phone_number }) => phone_number)).toEqual(['+14155550192', '+14155550193']);
    });
    test('of a plain list of numbers have one column', async () => {
      expect(await operator.run(ON_SERVICE, { input: '+14155550194\n+14155550195\n' })).toMatchObject({ code: 0 });
      const rows = [['+14155550194'], ['+14155550195']];
      expect(read(registerOf(operator).rowsOf(3))).toEqual({ columns: ['phone_number'], rows });
    });
  });

  describe('a campaign that was refused', async () => {
    const { operator, next } = await setUp();
    test('leaves none', async () => {
      next.behaviour = 'refuses';
      expect(await operator.run(ON_SERVICE, { input: 'phone_number\n+14155550190\n' })).toMatchObject({ code: 6 });
      expect(readdirSync(join(operator.home, '.local/state/vagent/campaigns'))).toEqual([]);
    });
  });

  describe('a campaign that did not come from a file', async () => {
    const { operator } = await setUp();
    test('has none, though a program that was killed before left some', async () => {
      const call = ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
      expect(await operator.run(call)).toMatchObject({ code: 0 });
      const folder = join(operator.home, '.local/state/vagent/campaigns');
      const left = '{"columns":["phone_number"]}\n["+14155550199"]\n';
      systemFiles.mkdirSync(folder);
      writeFileSync(join(folder, '2.rows.jsonl'), left);
      const input =
        '{"campaign_name":"Raw","agent_id":3,"call_from":"+14155550100","contacts":[{"phone_number":"+14155550191"}]}';
      expect(await operator.run(['api', 'create-campaign', '--input', '-'], { input })).toMatchObject({ code: 0 });
      expect(registerOf(operator).rowsOf(2)).toBeUndefined();
    });
  });

  describe('rows that were harmed', async () => {
    const { operator } = await setUp();
    const path = join(operator.home, '.local/state/vagent/campaigns/1.rows.jsonl');
    const harms: Record<string, [harm: (text: string) => string, told: RegExp]> = {
      'one is missing': [(text) => text.split('\n').slice(0, 2).join('\n'), /holds 0 rows for 2 contacts/],
      'one is cut off': [(text) => text.slice(0, -5), /holds 1 rows for 2 contacts/],
      'one too many': [(text) => `${text}["a","b"]\n`, /holds 3 rows for 2 contacts/],
      'one has another width': [(text) => text.replace('"Ana"', '"Ana","x"'), /line 2 is not a row of 2 cells/],
      'one is not JSON': [(text) => text.replace('["+14155550191"', 'x'), /line 3 is not a row of 2 cells/],
      'the columns are lost': [(text) => text.replace('columns', 'column'), /does not name the columns/],
      'it is empty': [() => '', /does not name the columns/],
    };
    test('are told by line, never as rows of somebody else', async () => {
      const input = 'phone_number,name\n+14155550190,Ana\n+14155550191,Bob\n';
      expect(await operator.run(ON_SERVICE, { input })).toMatchObject({ code: 0 });
      const whole = readFileSync(path, 'utf8');
      for (const [name, [harm, told]] of Object.entries(harms)) {
        writeFileSync(path, harm(whole));
        expect(() => read(registerOf(operator).rowsOf(1)), name).toThrow(told);
        expect(() => read(registerOf(operator).rowsOf(1)), name).toThrow(FileError);
      }
    });
  });
});

describe.concurrent('on the local engine', () => {
  describe('the rows', async () => {
    const operator = new Operator();
    test('are kept beside the campaign, are no leftover, and go with a reset', async () => {
      expect(await operator.run([...LOCALLY, ...FLAGS], { input: INPUT })).toMatchObject({ code: 0 });
      const path = join(operator.home, 'shop/campaigns/1/rows.jsonl');
      const { rows = [], columns } = read(await rowsInStore(operator, 1)) ?? {};
      expect(columns).toEqual(COLUMNS);
      expect(rows[0]).toEqual(ANA);
      expect(rows).toHaveLength(2);
      const check = await operator.run(['local', 'check', '--store', 'shop', '--json']);
      expect(JSON.parse(check.stdout)).toMatchObject({ ok: true, leftovers: [] });
      expect(await rowsInStore(operator, 2)).toBeUndefined();

      appendFileSync(path, '["x"]\n');
      await expect(rowsInStore(operator, 1)).rejects.toThrow(/holds 3 rows for 2 contacts/);
      // What does not show the rows does not need them.
      for (const command of ['campaign status 1', 'logs list --campaign 1']) {
        expect(await operator.run([...command.split(' '), '--local', '--store', 'shop'])).toMatchObject({ code: 0 });
      }
      expect(await operator.run(['local', 'reset', '--store', 'shop', '--yes'])).toMatchObject({ code: 0 });
      expect(existsSync(path)).toBe(false);
    });
  });

  describe('a campaign of another program', async () => {
    const operator = new Operator();
    test('has none', async () => {
      const input =
        '{"campaign_name":"Raw","agent_id":1,"call_from":"+14155550100","contacts":[{"phone_number":"+14155550191"}]}';
      const api = ['api', 'create-campaign', '--input', '-', '--local', '--store', 'shop'];
      expect(await operator.run(api, { input })).toMatchObject({ code: 0 });
      expect(await rowsInStore(operator, 1)).toBeUndefined();
    });
  });
});
