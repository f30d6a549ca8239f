/**
 * A file of contacts that was refused for how it is read: which reading is right is asked, or each is told as a command. What is
 * shown is compared with what iconv-lite makes of the bytes, and every command is run.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { BIN, Operator } from '../../support/program.ts';
import { CTRL_C, play, playHere } from '../../support/terminal.ts';

const cases = casesBeside(import.meta.filename);
const DOWN = '\u001b[B';
const ENTER = '\r';
const LIST = ['Name;Telefon;Notiz', 'Jürgen Müller;030 23125001;weiß', 'Zoë;030 23125002;', 'Jörg;030 23125003;x'].join(
  '\r\n',
);

function somebody(files: Record<string, Buffer | string>): Operator {
  const operator = new Operator({ frozenAt: '2026-11-20T09:00:00Z', env: { VAGENT_LOCAL: '1' } });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(operator.home, name), bytes);
  return operator;
}

/** The commands of an error, each with what it says would be right. */
const waysIn = (stderr: string) =>
  [...stderr.matchAll(/^ {2}→ If (.*): vagent (.*)$/gm)].map(([, claim = '', command = '']) => ({ claim, command }));

const ENCODING = [/is not UTF-8/, /Which of them is right\?/, DOWN, /❯ windows-1252/, ENTER];
const COUNTRY = [/without a country code/, /Country of these numbers/, 'germany', /❯ DE Germany/, ENTER];
const REST = [/Name of the plan/, 'Recall\r', /Agent/, ENTER, /Number to call from/, ENTER, /Local hours/];

describe.concurrent('at a terminal', () => {
  test('a semicolon list in Windows-1252 with national numbers becomes a plan, with no flag looked up', async () => {
    const operator = somebody({ 'list.csv': iconv.encode(LIST, 'windows-1252') });
    const steps = [...ENCODING, ...COUNTRY, ...REST, '09:00-20:00\r'];
    const { code, text } = await play(operator, ['plan', 'create', '--contacts', 'list.csv'], steps);
    expect({ code, next: /Next time: vagent (.*)/.exec(text)?.[1] }).toEqual({
      code: 0,
      next:
        'plan create --contacts list.csv --encoding windows-1252 --country DE --name Recall --agent 1 ' +
        '--from +14155550100 --window 09:00-20:00',
    });
    for (const encoding of ['windows-1252', 'windows-1257']) {
      const [, ...lines] = iconv.decode(iconv.encode(LIST, 'windows-1252'), encoding).split('\r\n');
      for (const [at, line] of lines.entries()) expect(text).toContain(`    line ${at + 2}  ${line}`);
    }
    const { stdout } = await operator.run(['plan', 'results', '1', '--json']);
    const { contacts } = JSON.parse(stdout);
    expect(contacts.map(({ phone_number, row }: never) => [phone_number, row])).toEqual(
      LIST.split('\r\n')
        .slice(1)
        .map((line) => line.split(';'))
        .map(([Name, Telefon = '', Notiz]) => [`+49${Telefon.slice(1).replace(' ', '')}`, { Name, Telefon, Notiz }]),
    );
  });

  test('Enter alone chooses no reading, and what was answered is in the error', async () => {
    const operator = somebody({ 'list.csv': iconv.encode(LIST, 'windows-1252') });
    const choose = [/List of contacts/, 'list', /❯ list.csv/, ENTER];
    const { code, text } = await playHere(operator, ['plan', 'create'], [...choose, ...ENCODING, /Country/, ENTER]);
    expect(code).toBe(3);
    expect(text).toContain('3 of 3 rows cannot be used; nothing was written.');
    expect(text).toContain(
      'With your answers so far: vagent plan create --contacts list.csv --encoding windows-1252\n',
    );
    expect(text).not.toContain('Name of the plan');
    expect((await operator.run(['plan', 'list', '--json'])).stdout).toContain('"plans": []');
  });

  test('a dumb terminal shows the readings as numbered lines, and Enter alone is none of them', async () => {
    const operator = somebody({ 'list.csv': iconv.encode(LIST, 'windows-1252') });
    const check = ['contacts', 'check', 'list.csv'];
    const chosen = [/2\) windows-1252/, /Number of a line/, '2\r', /2\) DE Germany/, /Number of a line/, '2\r'];
    expect(await playHere(operator, check, chosen, { env: { TERM: 'dumb' } })).toMatchObject({ code: 0 });
    const none = await playHere(operator, check, [/Number of a line/, '\r'], { env: { TERM: 'dumb' } });
    expect(none.code).toBe(3);
  });

  test('a pipe is read again from what was kept, and nothing in it acts on the terminal', async () => {
    const text = `${LIST.replace('Zoë', 'Zoë\u001b]0,owned\u0007\u001b[31m')}\r\n`;
    const operator = somebody({ 'list.csv': iconv.encode(text, 'windows-1252') });
    const script = `mkfifo p; cat list.csv > p & '${process.execPath}' '${BIN}' contacts check p --fields accepted,preview --json`;
    const { code, output } = await play(operator, [], [...ENCODING, ...COUNTRY], { script });
    expect(output).toContain('"accepted": 3');
    expect(code).toBe(0);
    expect(output).not.toContain('\u001b]0,owned');
    expect(output).not.toContain('ë\u001b[31m');
  });

  test('leaving a question is no answer', async () => {
    const operator = somebody({ 'list.csv': iconv.encode(LIST, 'windows-1252') });
    const { code } = await playHere(operator, ['contacts', 'check', 'list.csv'], [/right\?/, CTRL_C]);
    expect(code).toBe(130);
  });

  test('an encoding that was given wrongly is replaced in the command line', async () => {
    const operator = somebody({ 'list.csv': iconv.encode('phone_number,Name\n+14155550111,Zoë\n', 'windows-1252') });
    const given = ['contacts', 'check', 'list.csv', '--encoding', 'euc-kr'];
    const { code, text } = await playHere(operator, given, [/right\?/, DOWN, /❯ windows-1252/, ENTER]);
    expect(code).toBe(0);
    expect(text).toContain('Next time: vagent contacts check list.csv --encoding windows-1252\n');
  });

  test('a flag that is wrong is refused before the first question', async () => {
    const operator = somebody({ 'list.csv': LIST });
    for (const flags of ['--encoding utf-99', '--map phone_number=A --map phone_number=B', '--end yesterday']) {
      const { code, text } = await playHere(operator, ['plan', 'create', ...flags.split(' ')]);
      expect([code === 2 || code === 3, text.includes('?')], `${flags}\n${text}`).toEqual([true, false]);
    }
  });
});

describe.concurrent('elsewhere', () => {
  /** `right`: the flags among those that are told with which the file is as it was written. */
  type Told = [what: string, text: string, encoding: string, right: string, claims?: string[]];
  test.each(cases<Told>('told'))(
    'each command that is told works: %s',
    async (_what, text, encoding, right, claims) => {
      const bytes = iconv.encode(text, encoding);
      const operator = somebody({ 'list.csv': bytes });
      const { code, stderr } = await operator.run(['contacts', 'check', 'list.csv']);
      expect(code).toBe(3);
      const ways = waysIn(stderr);
      if (claims !== undefined) expect(ways.map(({ claim }) => claim)).toEqual(claims);
      expect(ways.map(({ command }) => command.replaceAll("'", ''))).toContain(`contacts check list.csv ${right}`);
      for (const { claim, command } of ways) {
        const done = await operator.paste(`vagent ${command}`, { flags: '--json' });
        expect(done.code, `${command}\n${done.stderr}`).toBe(0);
        const report = JSON.parse(done.stdout);
        expect(report.accepted).toBeGreaterThan(0);
        const named = /--encoding (\S+)/.exec(command)?.[1];
        // The cell that would be right is one of the file, by another decoder.
        const [, cell = ''] = /^"([^"]*)" is right/.exec(claim) ?? [];
        if (named !== undefined) expect(iconv.decode(bytes, named)).toContain(cell.split(' | ')[0]);
      }
    },
  );

  test.each(cases<[what: string, text: string, encoding: string, says: string]>('left'))(
    'no command is told where none works: %s',
    async (_what, text, encoding, says) => {
      const operator = somebody({
        'list.csv': iconv.encode(text, encoding, { addBOM: encoding.startsWith('utf-16') }),
      });
      if (encoding === 'utf-8') writeFileSync(join(operator.home, 'list.csv'), Buffer.from(text, 'latin1'));
      const { code, stderr } = await operator.run(['contacts', 'check', 'list.csv']);
      expect({ code, ways: waysIn(stderr) }).toEqual({ code: 3, ways: [] });
      expect(stderr).toContain(says);
    },
  );

  test('what comes through a pipe is read again from what was kept', async () => {
    const operator = somebody({});
    const input = iconv.encode(LIST, 'windows-1252');
    const { stderr } = await operator.run(['contacts', 'check', '-'], { input });
    expect(waysIn(stderr)[0]).toEqual({
      claim:
        '"Zoë" is right and 030 23125001 is +493023125001, 030 23125002 is +493023125002, ' +
        '030 23125003 is +493023125003 (DE)',
      command: 'contacts check - --encoding windows-1252 --country DE',
    });
    const { code } = await operator.paste(`vagent ${waysIn(stderr)[0]?.command}`, { input });
    expect(code).toBe(0);
  });

  test.each([`it's "my" $list \`x\`; été.csv`, '-list.csv', 'two\nlines.csv', '# list.csv'])(
    'a command has the name of the file as bash reads it: %j',
    async (name) => {
      const operator = somebody({ [name]: iconv.encode('phone_number,Name\n+34912345678,Zoë\n', 'windows-1252') });
      const { stderr } = await operator.run(['contacts', 'check', '--', name]);
      const [way] = waysIn(stderr);
      const done = await operator.paste(`vagent ${way?.command}`, { flags: '--json' });
      expect(done, way?.command).toMatchObject({ code: 0, stdout: expect.stringContaining('"accepted": 1') });
    },
  );

  const GERMAN = 'Telefon\n0170 1234567\n0171 1234568\n';
  test.each([
    ['by a flag', ['--country', 'US']],
    ['by the profile', []],
  ])('a country that none of the numbers is in leads to those that they are in: %s', async (_how, flags) => {
    const operator = somebody({ 'list.csv': GERMAN });
    await operator.run(['profile', 'add', 'a', '--local', '--country', 'US']);
    const { stderr } = await operator.run(['contacts', 'check', 'list.csv', ...flags]);
    const commands = waysIn(stderr).map(({ command }) => command);
    expect(commands).toContain('contacts check list.csv --country DE');
    expect(commands.join()).not.toContain('US');
    expect(await operator.paste('vagent contacts check list.csv --country DE')).toMatchObject({ code: 0 });
  });

  test('numbers of two countries are shown as each would have them, with what is left to be fixed', async () => {
    const operator = somebody({ 'list.csv': `${GERMAN}612 345 678\n06 12 34 56 78\n` });
    const { stderr } = await operator.run(['contacts', 'check', 'list.csv']);
    const german = waysIn(stderr).find(({ command }) => command.endsWith('DE'));
    expect(german?.claim).toMatch(/0170 1234567 is .*, 612 345 678 is .*, 06 12 34 56 78 is .* \(DE\)/);
    for (const { claim, command } of waysIn(stderr)) {
      const { code, stdout } = await operator.paste(`vagent ${command}`, { flags: '--json' });
      const { rejected, duplicates } = JSON.parse(stdout);
      expect([code, claim]).toEqual([3, expect.stringContaining(`${rejected + duplicates} of 4 rows then still to`)]);
      expect(command).not.toMatch(/--country.*--country/);
    }
  });

  test('the country of the number to call from comes first', async () => {
    const operator = somebody({ 'list.csv': 'Teléfono\n912 345 678\n' });
    const flags = '--name A --agent 1 --from +34911234567 --window 09:00-20:00'.split(' ');
    const { stderr } = await operator.run(['plan', 'create', 'list.csv', ...flags]);
    expect(waysIn(stderr)[0]).toEqual({
      claim: '912 345 678 is +34912345678 (ES)',
      command: `plan create list.csv ${flags.join(' ')} --country ES`,
    });
  });

  test('where no number is near, the country of the time zone comes first, by either of its names', async () => {
    const operator = somebody({ 'list.csv': 'Teléfono\n98765 43210\n' });
    await operator.run(['profile', 'add', 'a', '--local', '--timezone', 'Asia/Kolkata']);
    const { stderr } = await operator.run(['contacts', 'check', 'list.csv']);
    expect(waysIn(stderr)[0]).toMatchObject({ claim: '98765 43210 is +919876543210 (IN)' });
  });
});

describe.concurrent('numbers never to call', () => {
  const NEVER = iconv.encode('Teléfono;Nombre\n+34912345678;Peña\n', 'windows-1252');
  const told = async (contacts: Buffer | string) => {
    const operator = somebody({ 'list.csv': contacts, 'never.csv': NEVER });
    const { code, stderr } = await operator.run(['contacts', 'check', 'list.csv', '--exclude', 'never.csv']);
    return { code, stderr, flags: waysIn(stderr).map(({ command }) => command.replace(/.*never.csv/, '')) };
  };

  test('may have another encoding where that leaves the contacts as they are', async () => {
    const { code, flags } = await told('phone_number\n+34912345679\n');
    expect({ code, flags }).toEqual({
      code: 3,
      flags: [' --encoding windows-1252', ' --encoding windows-1250'],
    });
  });

  test('must be saved anew where the flag would give the contacts other names', async () => {
    const { code, flags, stderr } = await told('phone_number,Name\n+34912345679,Begoña\n');
    expect({ code, flags }).toEqual({ code: 3, flags: [] });
    expect(stderr).toContain('save the file as CSV UTF-8');
  });

  test('are read again before each wave as they were when the plan was made', async () => {
    const operator = somebody({ 'list.csv': 'phone_number\n+34912345679\n+34912345678\n', 'never.csv': NEVER });
    const plan = '--name A --agent 1 --from +14155550100 --window 00:00-24:00 --exclude never.csv'.split(' ');
    const made = await operator.run(['plan', 'create', 'list.csv', ...plan, '--encoding', 'windows-1252']);
    expect(made).toMatchObject({ code: 0 });
    expect(await operator.run(['plan', 'run', '1'])).toMatchObject({ code: 0 });
    const { stdout } = await operator.run(['logs', 'list', '--all', '--json']);
    expect(stdout).not.toContain('+34912345678');
  });

  test('come after the contacts, which are asked about first', async () => {
    const { flags, stderr } = await told(iconv.encode('phone_number,Name\n+34912345679,Zoë\n', 'windows-1252'));
    expect(flags).toEqual([' --encoding windows-1252', ' --encoding windows-1257']);
    expect(stderr).toContain('If "Zoë" is right');
  });
});
