/** The page of the help for people who look into the database of the register: made from its schema. */
import { SCHEMA } from '../../register/schema.ts';

const BEFORE = `# The database of the register

What was sent, who opted out, lists to call people again, and the plans are
rows of one database. It is \`vagent.db\` in the state folder, or in the folder
that \`--register\` names, a file of SQLite; of a team it is a schema of
PostgreSQL, \`vagent_register\` unless the address says another after
\`?schema=\`. Tables, columns and views are the same.

\`\`\`sh
sqlite3 -readonly ~/.local/state/vagent/vagent.db 'select * from request_log'
psql postgres://ana@db.example/calls -c 'select * from vagent_register.request_log'
duckdb -c "attach '$HOME/.local/state/vagent/vagent.db' as v (type sqlite, read_only);
           select state, count(*) from v.plan_contacts group by state"
duckdb -c "attach 'host=db.example user=ana dbname=calls' as v (type postgres, read_only);
           select * from v.vagent_register.plan_contacts"
\`\`\`

Whoever reads holds nobody up. A copy of the file alone lacks what stands in
the two files beside it. This makes a whole one:

\`\`\`sh
sqlite3 ~/.local/state/vagent/vagent.db '.backup copy.db'
\`\`\`

In PostgreSQL the role \`<database>.<schema>_reader\` may look, and \`…_writer\`
is for those who send (\`vagent help register\`).

Read, and write nothing: vagent takes a row that no vagent has written for
damage, and sends nothing that depends on it. A newer vagent may add
tables, columns and fields of JSON; what is there keeps its meaning. What
stands in \`position\`, \`dials\`, \`marks\`, \`recalled\`, \`log_position\` and
\`plan_told\` is for vagent's own use and may change at any time.

Names that end in \`_at\` are milliseconds since the epoch; the views have
them as times.`;

export function databaseAsMarkdown(): string {
  const views = Object.entries(SCHEMA.views).map(([name, { about, select }]) =>
    [`### ${name}`, about, `\`\`\`sql\n${select('postgres')}\n\`\`\``].join('\n\n'),
  );
  return [BEFORE, '## Views', ...views].join('\n\n');
}

/** The tables of the one or of the other: those of plans are named so. */
export function tablesAsMarkdown(which: 'register' | 'plans'): string {
  const tables = Object.entries(SCHEMA.tables)
    .filter(([name]) => name.startsWith('plan') === (which === 'plans'))
    .map(([name, { about, columns, keys }]) =>
      [`## ${name}`, `${about} ${sentence(keys[0] ?? '')}`, tableOf(columns)].join('\n\n'),
    );
  return [`# Tables of the ${which}`, '`vagent help database` explains how they are read.', ...tables].join('\n\n');
}

/** `primary key (entry)` */
function sentence(key: string): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}.`;
}

function tableOf(columns: (typeof SCHEMA.tables)[string]['columns']): string {
  const rows = Object.entries(columns).map(([column, [type, about]]) => {
    const bare = type.replace(/ not null$/, '');
    return `| ${column} | ${bare === type ? `${bare}/null` : bare} | ${about} |`;
  });
  return ['| column | type | what it holds |', '| --- | --- | --- |', ...rows].join('\n');
}
