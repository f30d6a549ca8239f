/** The topics of `vagent help <topic>`. Each is a Markdown file, read when it is asked for. */

/** In the order of the overview. */
export const TOPICS = {
  output: 'Formats, columns, and what goes to stdout and stderr',
  settings: 'Profiles, keys, environment variables, proxies',
  safety: 'How nobody is called twice, and the register',
  contacts: 'Contact lists: columns, numbers, duplicates, exclusions',
  logs: 'Call logs: filters, export, sync, follow, statistics, transcripts',
  campaigns: 'Campaigns: rehearse, create, progress, results',
  offline: 'The local engine: clock, scenario, server, how faithful it is',
  store: "The local engine's files",
  'exit-codes': 'What each exit code means',
};

/** The build copies the folder beside the program, so that this path is right both in the source and in `dist`. */
export async function readTopic(topic: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(new URL(`topics/${topic}.md`, import.meta.url), 'utf8');
}
