/** `plan create` of a million contacts beside `contacts check` of the same file, and what a plan of that size costs afterwards. */
import { median } from './measure.ts';
import { BIN, type Measured, Workplace } from './workplace.ts';

const ROWS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
const ROUNDS = 5;
/** The last one that is made. */
const PLAN_ID = String(ROUNDS);
const PLAN = ['plan', 'create', '--name', 'Big', '--agent', '1', '--from', '+14155550100', '--window', '09:00-20:00'];

const place = new Workplace();
try {
  const contacts = place.contacts(ROWS);
  const checks: Measured[] = [];
  const creations: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // The same people in two plans would be refused.
    for (const verb of round > 0 ? ['cancel', 'forget'] : []) place.vagent('plan', verb, String(round), '--yes');
    checks.push(place.vagent('contacts', 'check', contacts, '--json'));
    creations.push(place.vagent(...PLAN, '--contacts', contacts));
  }
  const [check, create] = [time(checks), time(creations)];
  const ratio = `${(create / check).toFixed(2)}× (at most 3×)`;
  print(`plan create of ${ROWS} contacts`, `contacts check ${told(checks)}; plan create ${told(creations)}: ${ratio}`);

  const bare = Array.from({ length: ROUNDS }, () => place.node([BIN, '--version']));
  const statuses = Array.from({ length: ROUNDS }, () => place.vagent('plan', 'status', PLAN_ID, '--json'));
  print('plan status of it (at most 0.5 s more than vagent --version)', `${told(bare)}; ${told(statuses)}`);
  const stops = Array.from({ length: ROUNDS }, (_, at) =>
    place.vagent('plan', at % 2 === 0 ? 'stop' : 'resume', PLAN_ID),
  );
  print('plan stop and resume', told(stops));
  const lists = Array.from({ length: ROUNDS }, () => place.vagent('plan', 'list'));
  print('plan list with it', told(lists));
} finally {
  place.remove();
}

function time(all: readonly Measured[]): number {
  return median(all.map(({ milliseconds }) => milliseconds));
}

function told(all: readonly Measured[]): string {
  const most = Math.max(...all.map(({ megabytes }) => megabytes));
  return `${(time(all) / 1000).toFixed(2)} s, ${most.toFixed(0)} MB`;
}

function print(title: string, figures: string): void {
  process.stdout.write(`${title}\n  ${figures}\n`);
}
