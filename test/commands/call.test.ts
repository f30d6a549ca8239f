/** `vagent call`: how numbers are read. */
import { expect, test } from 'vitest';
import { Operator } from '../support/program.ts';

const BESIDE = ['--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--dry-run'];

test.each<[text: string, country: string | undefined, number: string]>([
  ['+1 415-555-0123', undefined, '+14155550123'],
  ['+1 (415) 555-0123', undefined, '+14155550123'],
  ['tel:+1-415-555-0123', undefined, '+14155550123'],
  ['+49 (0)171 1234567', undefined, '+491711234567'],
  ['0171 1234567', 'DE', '+491711234567'],
  ['0044 20 7946 0958', 'DE', '+442079460958'],
  ['011 44 20 7946 0958', 'US', '+442079460958'],
  ['(415) 555-0123', 'us', '+14155550123'],
])('%s with country %s is called as a file of contacts would call it: %s', async (text, country, number) => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const at = country === undefined ? [] : ['--country', country];
  const { stdout, stderr } = await operator.run(['call', text, ...at, ...BESIDE]);
  expect(stderr).toContain(`<to> ${text} is ${number}.\n`);
  const input = `phone_number\n"${text}"\n`;
  const checked = await operator.run(['contacts', 'check', '-', ...at, '--json'], { input });
  expect(JSON.parse(checked.stdout).preview).toMatchObject([{ phone_number: number }]);
  expect(JSON.parse(stdout).body.called_to).toBe(number);
});

test('numbers are read wherever they are written, and the country of the profile counts', async () => {
  const operator = new Operator();
  const add = ['profile', 'add', 'home', '--local', '--country', 'DE', '--from', '030 23125001'];
  expect((await operator.run(add)).stderr).toContain('--from 030 23125001 is +493023125001.');
  const shown = await operator.run(['profile', 'show', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({ from: '+493023125001', country: 'DE' });
  const number = await operator.run(['local', 'number', 'add', '030 23125001', '--json']);
  expect(JSON.parse(number.stdout).numbers).toContain('+493023125001');
  const dry = await operator.run(['call', '0171 1234567', '--agent', '1', '--first-line', 'Hello.', '--dry-run']);
  expect(JSON.parse(dry.stdout).body).toMatchObject({ called_to: '+491711234567', call_from: '+493023125001' });
  const logs = await operator.run(['logs', 'list', '--to', '0171 1234567', '--from', '030/23125001']);
  expect({ code: logs.code, stderr: logs.stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('--to 0171 1234567 is +491711234567.\n--from 030/23125001 is +493023125001.\n'),
  });
});
