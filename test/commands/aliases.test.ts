/** What people type who know other tools: it does what they meant, or says what would. */
import { describe, expect, test } from 'vitest';
import { type KnownCommands, unaliased } from '../../src/cli/flags/aliases.ts';
import { commandSummaries } from '../../src/program.ts';
import { Operator } from '../support/program.ts';

const paths = [...commandSummaries().keys()];
const known: KnownCommands = {
  verbsOf(noun) {
    const below = paths.filter((path) => path.startsWith(`${noun} `)).map((path) => path.slice(noun.length + 1));
    return below.length > 0 ? below : paths.includes(noun) ? [] : undefined;
  },
  topics: ['campaigns', 'logs'],
};

describe('an alias is replaced, and nothing else', () => {
  test.each([
    ['calls', 'logs list'],
    ['calls --status busy', 'logs list --status busy'],
    ['calls list', 'logs list'],
    ['calls ls --limit 5', 'logs list --limit 5'],
    ['calls show call_1', 'logs show call_1'],
    ['calls get call_1', 'logs show call_1'],
    ['calls export --out a.csv', 'logs export --out a.csv'],
    ['call list', 'logs list'],
    ['call logs --limit 3', 'logs list --limit 3'],
    ['call show call_1', 'logs show call_1'],
    ['transcript call_1', 'logs show call_1'],
    ['agents', 'agent list'],
    ['agents list', 'agent list'],
    ['agents ls -o ids', 'agent list -o ids'],
    ['agent ls', 'agent list'],
    ['campaigns', 'campaign list'],
    ['campaigns create --name A', 'campaign create --name A'],
    ['campaign new', 'campaign create'],
    ['campaign get 3', 'campaign status 3'],
    ['campaign follow 3', 'campaign watch 3'],
    ['campaign top', 'campaign watch'],
    ['campaigns monitor', 'campaign watch'],
    ['watch 3', 'campaign watch 3'],
    ['monitor', 'campaign watch'],
    ['plans', 'plan list'],
    ['plan ls', 'plan list'],
    ['plan new contacts.csv', 'plan create contacts.csv'],
    ['plan start 3', 'plan run 3'],
    ['plan pause 3', 'plan stop 3'],
    ['plan continue 3', 'plan resume 3'],
    ['plan get 3', 'plan status 3'],
    ['plan follow 3', 'plan watch 3'],
    ['plan delete 3', 'plan forget 3'],
    ['plans rm 3', 'plan forget 3'],
    ['schedule create --name A', 'plan create --name A'],
    ['schedules', 'plan list'],
    ['voices', 'voice list'],
    ['profiles', 'profile list'],
    ['profile rm work', 'profile remove work'],
    ['profile create work', 'profile add work'],
    ['log tail', 'logs follow'],
    ['logs tail', 'logs follow'],
    ['logs get call_1', 'logs show call_1'],
    ['tail', 'logs follow'],
    ['contact check a.csv', 'contacts check a.csv'],
    ['login', 'profile add'],
    ['init work', 'profile add work'],
    ['setup', 'profile add'],
    ['auth login', 'profile add'],
    ['whoami', 'profile show'],
    ['version', '--version'],
    ['--profile work calls', '--profile work logs list'],
    ['--profile calls calls', '--profile calls logs list'],
    ['--json agents', '--json agent list'],
    ['-o json agents --status active', '-o json agent list --status active'],
    ['agents --json ls', 'agent list --json'],
    ['help calls', 'help logs'],
    ['help call list', 'help logs list'],
    ['help agents ls', 'help agent list'],
    ['help login', 'help profile add'],
    ['get-call-logs', 'logs list'],
  ])('%s → %s', (typed, meant) => {
    expect(unaliased(typed.split(' '), known).join(' ')).toBe(meant);
  });

  test.each([
    '',
    '--version',
    'call +14155550123',
    'call +14155550123 --first-line calls',
    'call --first-line list +14155550123',
    'logs list',
    'logs exprot',
    'campaign list',
    'contacts check agents',
    'contacts check ls',
    'agent create --name login',
    'local number list',
    'local agent 1',
    'help campaigns',
    'help logs',
    'help contacts',
    'nope',
    'nope list',
    '-- calls',
    'constructor',
    'agent constructor',
    '__proto__',
  ])('%s stays as it is', (typed) => {
    const words = typed.split(' ').filter((word) => word !== '');
    expect(unaliased(words, known)).toEqual(words);
  });

  test('every name in the table of aliases is free, and means a command that exists', async () => {
    const { stdout } = await new Operator().run(['help', 'aliases']);
    const rows = [...stdout.matchAll(/^vagent (.*?) {2,}vagent (.*?)(?: …)?$/gm)].map(([, typed = '', meant = '']) => ({
      typed,
      meant,
    }));
    expect(rows.length).toBeGreaterThan(40);
    const nouns = paths.map((path) => path.split(' ')[0]);
    for (const { typed, meant } of rows) {
      expect([...paths, ...nouns]).not.toContain(typed);
      expect([...paths, ...nouns, '--version']).toContain(meant);
      expect(unaliased(typed.split(' '), known).join(' ')).toMatch(new RegExp(`^${meant}( list)?$`));
    }
  });
});

describe.concurrent('at the program', () => {
  const operator = new Operator();

  test('a plural lists', async () => {
    const { code, stdout } = await operator.run(['agents', '--local', '-o', 'ids']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1\n' });
  });

  test('version prints the version', async () => {
    const { stdout } = await operator.run(['version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    ['wallet', /no operation that shows its wallet.*vagent local status/],
    ['numbers list', /no operation that lists numbers.*vagent local number list/],
    ['campaign pause 3', /a plan can be stopped: vagent help plans/],
    ['campaign stop 3', /no operation that stops a campaign.*vagent local campaign pause/],
    ['agent delete 1', /no operation that deletes an agent/],
    ['contacts import list.csv', /vagent campaign create --contacts <file>/],
  ])('%s says what would do', async (line, says) => {
    const { code, stdout, stderr } = await operator.run(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
  });
});

describe.concurrent('mistakes get the nearest right thing, and the help of their own command', () => {
  const operator = new Operator();

  test.each([
    ['logs exprot', 'Did you mean export?', 'vagent logs --help'],
    ['lgos', 'Did you mean logs?', 'vagent --help'],
    ['--hlep', 'Did you mean --help?', 'vagent --help'],
    ['-v', 'Did you mean -V?', 'vagent --help'],
    ['logs list --limit 1,000', 'Did you mean 1000?', 'vagent logs list --help'],
    ['logs list -o calls.txt', 'logs export --format csv --out calls.txt', 'vagent logs list --help'],
    ['campain list', 'Did you mean campaign?', 'vagent --help'],
    ['calendar', '', 'vagent --help'],
    ['create', 'Did you mean campaign create or plan create or agent create?', 'vagent --help'],
    ['follow', 'Did you mean logs follow?', 'vagent --help'],
    ['help logs exprot', 'Did you mean export?', 'vagent logs --help'],
    ['help setings', 'Did you mean settings?', 'vagent --help'],
    ['logs export --outfile a.csv', 'Did you mean --out?', 'vagent logs export --help'],
    ['logs export --output-file a.csv', 'Did you mean --out?', 'vagent logs export --help'],
    ['logs export a.csv', '--out a.csv', 'vagent logs export --help'],
    ['logs list --stauts busy', 'Did you mean --status?', 'vagent logs list --help'],
    ['logs list --count 5', 'Did you mean --limit?', 'vagent logs list --help'],
    ['call +14155550123 --agent-id 1', 'Did you mean --agent?', 'vagent call --help'],
    ['call +14155550123 --message Hello', 'Did you mean --first-line?', 'vagent call --help'],
    ['call +14155550123 --dryrun', 'Did you mean --dry-run?', 'vagent call --help'],
    ['agent list --api-key k', 'Did you mean --api-key-file?', 'vagent agent list --help'],
    ['campaign create --rate 60', 'Did you mean --calls-per-hour?', 'vagent campaign create --help'],
    [
      'campaign create --again --exclude-sent',
      "cannot be used with option '--exclude-sent'",
      'vagent campaign create --help',
    ],
    ['logs show', '<call_id>', 'vagent logs show --help'],
    ['voice list --gender f', 'male, female', 'vagent voice list --help'],
    ['call +14155550123 --wait-timeout 5m', '--wait-timeout needs --wait', 'vagent call --help'],
  ])('%s', async (line, guess, help) => {
    const { code, stdout, stderr } = await operator.run(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(guess);
    expect(stderr).toContain(`See ${help}.\n`);
  });
});
