/** A store of a million calls: one more call, and pages at any offset, beside an empty store and beside each other. */
import { printRatios, timeInTurns } from './measure.ts';
import { BIN, Workplace } from './workplace.ts';

const CALLS = Number(process.env.VAGENT_BENCH_CALLS ?? 1_000_000);
const ROUNDS = 10;

const place = new Workplace();
try {
  const big = place.path('big');
  const empty = place.path('empty');
  place.vagent('local', 'topup', '900000', '--store', big);
  place.vagent('agent', 'create', '--name', 'Second', '--prompt', 'Be brief.', '--voice', '2', '--store', big);
  // Two agents at once, across midnight, so that filters cut through segments.
  const contacts = place.contacts(CALLS / 2);
  const rules = [
    '--from',
    '+14155550100',
    '--contacts',
    contacts,
    '--calls-per-hour',
    '3600000',
    '--retry-attempts',
    '0',
  ];
  const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 86_400_000);
  const start = new Date(midnight.getTime() - (CALLS / 4) * 1 - 500).toISOString();
  for (const agent of ['1', '2']) {
    place.vagent('campaign', 'create', '--name', agent, '--agent', agent, ...rules, '--start', start, '--store', big);
  }
  place.vagent('local', 'advance', '--until-idle', '--store', big);

  const env = { HOME: place.folder, VAGENT_LOCAL: '1' };
  const call = ['call', '+14155550123', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--store'];
  const command = (name: string, ...args: string[]) => ({ name, argv: [process.execPath, BIN, ...args], env });
  const calls = [command('on an empty store', ...call, empty), command(`after ${CALLS} calls`, ...call, big)];
  printRatios(`vagent call, median of ${ROUNDS}`, timeInTurns(calls, ROUNDS), { [`after ${CALLS} calls`]: 1.3 });

  const page = (name: string, ...args: string[]) =>
    command(name, 'logs', 'list', '--limit', '1000', '--json', '--store', big, ...args);
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const [first, second] = [day(midnight.getTime() - 1), day(midnight.getTime())];
  const pages = [
    page('offset 0'),
    page('the middle', '--offset', String(CALLS / 2)),
    page('the end', '--offset', String(CALLS - 1000)),
    page('agent, offset 0', '--agent', '2'),
    page('agent, the end', '--agent', '2', '--offset', String(CALLS / 2 - 1000)),
    page('one day', '--start-date', first, '--end-date', first),
    page('one day and agent', '--start-date', second, '--end-date', second, '--agent', '2', '--offset', '100000'),
  ];
  const figures = timeInTurns(pages, ROUNDS);
  printRatios(`A page of 1,000 of ${CALLS} calls, median of ${ROUNDS}`, figures, { 'the middle': 1.3, 'the end': 1.3 });
} finally {
  place.remove();
}
