/** The topics of `vagent help <topic>`. Each is a Markdown file, read when it is asked for, or a table of the source. */
import { aliasesAsMarkdown } from '../../cli/flags/aliases.ts';
import { flagsAsMarkdown } from '../../cli/flags/global.ts';

/** In the order of the overview. */
export const TOPICS = {
  output: 'Formats, columns, and what goes to stdout and stderr',
  settings: 'Profiles, keys, environment variables, proxies',
  safety: 'How nobody is called twice, and the register',
  contacts: 'Contact lists: columns, numbers, duplicates, exclusions',
  logs: 'Call logs: filters, export, sync, follow, statistics, transcripts',
  campaigns: 'Campaigns: rehearse, create, progress, results',
  plans: 'Plans: calling hours, waves, retries, caps, budget, stop',
  offline: 'The local engine: clock, scenario, server, how faithful it is',
  store: "The local engine's files",
  database: 'Tables of the register and the plans, for sqlite3, psql and DuckDB',
  'exit-codes': 'What each exit code means',
  flags: 'Flags of every command',
  aliases: 'Other names of commands',
  topics: 'What topics there are',
};

export type Topic = keyof typeof TOPICS;

/** Topics that are made from the tables that the program itself uses. */
const MADE: Partial<Record<Topic, () => string | Promise<string>>> = {
  database: async () => (await import('./database-page.ts')).databaseAsMarkdown(),
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
