/** The commands as Markdown. */
import type { DocumentedCommand, DocumentedProgram, Entry } from './commands.mts';

export function reference({ groups }: DocumentedProgram): string {
  const contents = [...groups].map(([group, listed]) => `- ${group}: ${listed.map(link).join(', ')}`);
  return [
    '<!-- Written by npm run docs. -->',
    '# Commands',
    'Every command of `vagent`, as its help describes it. `vagent help flags` has the flags that every command takes.',
    contents.join('\n'),
    ...[...groups.values()].flat().flatMap(section),
  ]
    .join('\n\n')
    .concat('\n');
}

function link({ path }: DocumentedCommand): string {
  return `[${path.replace('vagent ', '')}](#${path.replaceAll(' ', '-')})`;
}

function section(command: DocumentedCommand): string[] {
  const { path, purpose, usage, notes, flags, examples, operation, exits } = command;
  return [
    `## ${path}`,
    prose(purpose),
    `\`\`\`sh\n${usage}\n\`\`\``,
    ...notes.map(prose),
    ...(command.arguments.length === 0 ? [] : [table('argument', command.arguments)]),
    ...flags.flatMap(([heading, entries]) => [...(flags.length === 1 ? [] : [`${heading}:`]), table('flag', entries)]),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    ...(operation === undefined ? [] : [`Operation: \`${operation}\``]),
    `Exit codes: ${exits.join('; ')}`,
  ];
}

function table(name: string, entries: readonly Entry[]): string {
  const rows = entries.map(([term, meaning]) => `| \`${inCell(term)}\` | ${inCell(prose(meaning))} |`);
  return [`| ${name} | what it does |`, '| --- | --- |', ...rows].join('\n');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Keeps what looks like HTML or emphasis, except in code. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/[<*_]/g, '\\$&')))
    .join('');
}
