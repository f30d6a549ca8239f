/** What the program says about its commands: every command is loaded, and asked for what its help shows. */
import { PassThrough } from 'node:stream';
import { EXIT_CODES, wireName } from '../../src/cli/flags/help.ts';
import { flagGroups } from '../../src/cli/flags/help-layout.ts';
import type { PlainCommand } from '../../src/cli/flags/plain-command.ts';
import { Io } from '../../src/cli/terminal/io.ts';
import { compose } from '../../src/context.ts';
import { buildProgram } from '../../src/program.ts';

/** A flag or an argument, and what it means. */
export type Entry = readonly [term: string, meaning: string];

export interface DocumentedCommand {
  /** `vagent logs list` */
  path: string;
  purpose: string;
  usage: string;
  notes: string[];
  arguments: readonly Entry[];
  flags: readonly (readonly [heading: string, entries: readonly Entry[]])[];
  examples: readonly string[];
  /** `GET /get-call-logs`; absent if it sends none. */
  operation?: string;
  /** `0 done`, … */
  exits: string[];
}

export interface DocumentedProgram {
  about: string;
  /** In the order of the overview. */
  groups: Map<string, DocumentedCommand[]>;
}

/** The program as it is before a command line is read. */
export function rootCommand(): PlainCommand {
  const silent = () => new PassThrough();
  const streams = { stdin: silent(), stdout: silent(), stderr: silent() };
  const { signal } = new AbortController();
  const { context, useFlags } = compose({
    io: new Io(streams, signal, { now: () => 0 }),
    env: {},
    signal,
    systemNow: () => 0,
    random: () => 0,
    commandLine: 'vagent',
  });
  return buildProgram([], context, useFlags).root;
}

export async function documentedProgram(): Promise<DocumentedProgram> {
  const root = rootCommand();
  const groups = new Map<string, DocumentedCommand[]>();
  for (const command of root.visible()) {
    const group = command.helpGroup();
    groups.set(group, [...(groups.get(group) ?? []), ...(await command.leaves()).map(documented)]);
  }
  return { about: root.description().replace(/\s+/g, ' '), groups };
}

function documented(command: PlainCommand): DocumentedCommand {
  const { explanation } = command;
  if (explanation === undefined) throw new Error(`${command.path} does not explain itself`);
  const { notes = '', examples, exits, operation } = explanation;
  return {
    path: command.path,
    purpose: command.description(),
    usage: command.usageLine,
    notes: notes
      .trim()
      .split(/\n{2,}/)
      .map((paragraph) => paragraph.replace(/\s+/g, ' '))
      .filter((paragraph) => paragraph !== ''),
    arguments: command.registeredArguments.map((argument) => [argument.name(), argument.description]),
    flags: flagGroups(command)
      .map(([heading, entries]) => [heading, entries.filter(([term]) => term !== '-h, --help')] as const)
      .filter(([, entries]) => entries.length > 0),
    examples,
    ...(operation === undefined ? {} : { operation: wireName(operation) }),
    exits: exits.map((code) => `${code} ${EXIT_CODES[code]}`),
  };
}
