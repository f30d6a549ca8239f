/** A store of a million calls: one more call, and pages at any offset, beside an empty store and beside each other. */
import { BIN, CALL, CALLS, compare, measureIn } from './workplace.ts';

const ROUNDS = 10;
const DAY = 86_400_000;

await measureIn((place) => {
  const [big, empty] = [place.path('big'), place.path('empty')];
  place.vagent('local', 'topup', '900000', '--store', big);
  place.vagent('agent', 'create', '--name', 'Second', '--prompt', 'Be brief.', '--voice', '2', '--store', big);
  // Two agents at once, across midnight, so that filters cut through segments.
  const pace = ['--calls-per-hour', '3600000', '--retry-attempts', '0'];
  const rules = ['--from', '+14155550100', '--contacts', place.contacts(CALLS / 2), ...pace, '--store', big];
  const midnight = Math.ceil(Date.now() / DAY) * DAY + DAY;
  const start = new Date(midnight - CALLS / 4 - 500).toISOString();
  for (const agent of ['1', '2']) {
    place.vagent('campaign', 'create', '--name', agent, '--agent', agent, ...rules, '--start', start);
  }
  place.vagent('local', 'advance', '--until-idle', '--store', big);

  const command =
    (...args: string[]) =>
    () =>
      place.time([process.execPath, BIN, ...args]);
  const calls = {
    'on an empty store': command(...CALL, '--store', empty),
    [`after ${CALLS} calls (at most 1.3×)`]: command(...CALL, '--store', big),
  };
  compare('vagent call', ROUNDS, calls, { isWarm: true });

  const page = (...args: string[]) => command('logs', 'list', '--limit', '1000', '--json', '--store', big, ...args);
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const [first, second] = [day(midnight - 1), day(midnight)];
  const pages = {
    'offset 0': page(),
    'the middle (at most 1.3×)': page('--offset', String(CALLS / 2)),
    'the end (at most 1.3×)': page('--offset', String(CALLS - 1000)),
    'agent, offset 0': page('--agent', '2'),
    'agent, the end': page('--agent', '2', '--offset', String(CALLS / 2 - 1000)),
    'one day': page('--start-date', first, '--end-date', first),
    'one day and agent': page('--start-date', second, '--end-date', second, '--agent', '2', '--offset', '100000'),
  };
  compare(`A page of 1,000 of ${CALLS} calls`, ROUNDS, pages, { isWarm: true });
});
