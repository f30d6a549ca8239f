/** The help of the program itself: what it is, where to start, and its commands in groups, on one screen. */
import { wrap } from '../text/width.ts';
import { type HelpStyle, layOutEntries } from './help-layout.ts';
import type { PlainCommand } from './plain-command.ts';

/** The column in which the text of a note begins. */
const LABEL = 9;

/** Without colours: it is printed before it is known whether they are wanted. */
export function layOutOverview(program: PlainCommand, { width }: HelpStyle): string {
  const groups = groupsOf(program);
  const names = [...groups.values()].flat().map((command) => command.name().length);
  const nameColumn = Math.max(...names) + 2;
  const groupColumn = Math.max(...[...groups.keys()].map((group) => group.length)) + 2;
  const beside = [...groups].flatMap(([group, commands]) =>
    commands.map((command, at) => {
      const label = (at === 0 ? group : '').padEnd(groupColumn);
      return `${label}${command.name().padEnd(nameColumn)}${command.summary()}`;
    }),
  );
  const below = [...groups].flatMap(([group, commands]) => {
    const entries = commands.map((command) => [command.name(), command.summary()] as const);
    return [group, ...layOutEntries(entries, 0, width)];
  });
  const lines = beside.every((line) => line.length <= width) ? beside : below;
  const notes = (program.explanation?.notes ?? '').split('\n').flatMap((note) => hanging(note, width));
  const parts = [
    program
      .description()
      .split('\n')
      .flatMap((line) => wrap(line, width)),
    lines,
    notes,
  ];
  return parts.map((part) => part.map((line) => `${line}\n`).join('')).join('\n');
}

/** `Start: …`, with what follows the first word wrapped beside it. */
function hanging(note: string, width: number): string[] {
  const [label = ''] = note.split(' ', 1);
  const text = note.slice(label.length).trim();
  return wrap(text, width - LABEL).map((line, at) => (at === 0 ? label : '').padEnd(LABEL) + line);
}

function groupsOf(program: PlainCommand): Map<string, PlainCommand[]> {
  const groups = new Map<string, PlainCommand[]>();
  for (const command of program.createHelp().visibleCommands(program) as PlainCommand[]) {
    const group = command.helpGroup();
    groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  return groups;
}
