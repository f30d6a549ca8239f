/** The topics of `vagent help <topic>`. Each is a Markdown file, read when it is asked for, or a table of the source. */
import { aliasesAsMarkdown } from '../../cli/flags/aliases.ts';
import { flagsAsMarkdown } from '../../cli/flags/global.ts';

/** In the order of the overview. */
export const TOPICS = {
  output: 'Formats, columns, and what goes to stdout and stderr',
  settings: 'Profiles, keys, and what to do when something does not work',
  environment: 'Environment variables',
  safety: 'How nobody is called twice, and what is refused',
  register: 'What was sent: kept here or for a team, and forgotten',
  contacts: 'Contact lists: columns, duplicates, exclusions',
  zones: 'How numbers are read, and in which time zones they are',
  logs: 'Call logs: filters, follow, statistics',
  export: 'Call logs in a file: export, sync',
  calls: 'Single calls: wait, transcript, recording',
  campaigns: 'Campaigns: rehearse, create',
  results: 'Results of campaigns, whose a call is, calling again',
  states: 'States of contacts, and what they were called before',
  progress: 'Watching a campaign or a plan, also for programs',
  plans: 'Plans: calling hours, waves, retries, caps, budget, stop',
  hours: 'Calling hours that some countries set',
  offline: 'The simulator: clock, controls, numbers for tests',
  serve: 'The simulator for programs, tests and teams',
  fidelity: 'How faithful the simulator is',
  store: "The simulator's files",
  database: 'The database of the register: how it is read, and its views',
  tables: 'Tables of the register, for sqlite3, psql and DuckDB',
  'plan-tables': 'Tables of the plans',
  'exit-codes': 'What each exit code means',
  flags: 'Flags of every command',
  aliases: 'Other names of commands and flags',
  topics: 'What topics there are',
};

export type Topic = keyof typeof TOPICS;

/** Topics that are made from the tables that the program itself uses. */
const MADE: Partial<Record<Topic, () => string | Promise<string>>> = {
  database: async () => (await import('./database-page.ts')).databaseAsMarkdown(),
  tables: async () => (await import('./database-page.ts')).tablesAsMarkdown('register'),
  'plan-tables': async () => (await import('./database-page.ts')).tablesAsMarkdown('plans'),
  flags: flagsAsMarkdown,
  aliases: aliasesAsMarkdown,
  topics: topicsAsMarkdown,
};

function topicsAsMarkdown(): string {
  const rows = Object.entries(TOPICS).map(([topic, summary]) => `| ${topic} | ${summary} |`);
  return ['# Topics', ['| topic | what it explains |', '| --- | --- |', ...rows].join('\n')].join('\n\n');
}

/** Whether a topic is a file; the others are made. */
export function isFile(topic: Topic): boolean {
  return MADE[topic] === undefined;
}

/** The build copies the folder beside the program, so that this path is right both in the source and in `dist`. */
export async function readTopic(topic: Topic): Promise<string> {
  const made = await MADE[topic]?.();
  if (made !== undefined) return made;
  const { readFile } = await import('node:fs/promises');
  return readFile(new URL(`topics/${topic}.md`, import.meta.url), 'utf8');
}
