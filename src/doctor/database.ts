/** Checks of a store over PostgreSQL: whether the database is one that vagent can use, and whether it will do so well. */
import type { Context } from '../context.ts';
import { FileError } from '../errors.ts';
import type { Check } from './check.ts';

type Organizations = Awaited<ReturnType<Context['local']>>['organizations'];
type DatabaseFacts = Awaited<ReturnType<NonNullable<Organizations['diagnose']>>>;

/** Milliseconds. Several servers stamp calls by clocks of their own machines. */
const CLOCKS_APART = 2_000;
/** Seconds. A transaction that stays open holds back what the database would clear away, and may hold rows that others wait for. */
const LONG = 60;

export function databaseChecks(context: Context): Check[] {
  let asked: Promise<DatabaseFacts | undefined> | undefined;
  const facts = async () => {
    asked ??= context.local().then(({ organizations }) => organizations.diagnose?.(context.systemNow));
    return asked;
  };
  const check = (name: string, what: string, judge: (found: DatabaseFacts) => string): Check => ({
    ...{ name, what, needs: ['store'] },
    async look() {
      const found = await facts();
      return found === undefined ? undefined : judge(found);
    },
  });
  return [
    check('database', 'database', version),
    check('database_rights', 'database rights', rights),
    check('database_clock', 'database clock', clock),
    check('database_transactions', 'transactions', transactions),
  ];
}

function version({ version: name, isSupported }: DatabaseFacts): string {
  if (isSupported) return `PostgreSQL ${name}`;
  throw new FileError(`PostgreSQL ${name} is older than vagent needs.`, { hint: 'Install PostgreSQL 13 or newer.' });
}

function rights({ isReadOnly, mayWrite, forbiddenTables }: DatabaseFacts): string {
  if (isReadOnly) {
    throw new FileError('The database can only be read: it is a standby, or was made read-only.', {
      hint: 'Name the primary, or let its owner set default_transaction_read_only to off.',
    });
  }
  if (mayWrite) return 'this user may read and write the store';
  if (forbiddenTables.length > 0) {
    throw new FileError(`This user may not write ${forbiddenTables.join(', ')}.`, {
      hint: 'vagent help offline shows the rights of a writer and of a reader.',
    });
  }
  throw new FileError('This user may not create the schema of the store.', {
    hint: 'Let another user make the first change, or grant create on the database.',
  });
}

function clock({ clockAhead }: DatabaseFacts): string {
  const apart = (Math.abs(clockAhead) / 1000).toFixed(1);
  const way = clockAhead > 0 ? 'ahead of' : 'behind';
  if (Math.abs(clockAhead) <= CLOCKS_APART) return 'the clock of the database and of this machine agree';
  throw new FileError(`The clock of the database is ${apart} s ${way} that of this machine.`, {
    hint: 'Set both by NTP: machines that share a store stamp calls by their own clocks.',
  });
}

function transactions({ longestTransaction }: DatabaseFacts): string {
  if (longestTransaction <= LONG) return 'none is open for long';
  throw new FileError(`A transaction of another program has been open for ${Math.round(longestTransaction)} s.`, {
    hint: 'select pid, query from pg_stat_activity order by xact_start shows which; end it.',
  });
}
