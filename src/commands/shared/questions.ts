/** Questions that several commands ask. Their lists are loaded only when they are asked. */
import { filled, identifier } from '../../cli/flags/values.ts';
import type { Io } from '../../cli/terminal/io.ts';
import type { ListQuestion, TextQuestion } from '../../cli/terminal/question.ts';
import { readNumber } from '../../contacts/numbers/dialable.ts';
import type { Context } from '../../context.ts';

/** How a number that is typed is read. */
export interface NumberReading {
  /** ISO code of the country of national numbers. */
  country: string | undefined;
  /** Whether the command has a flag that names it. */
  hasCountryFlag: boolean;
}

export function askActiveAgent(context: Context): ListQuestion<number> {
  const connect = () => context.services.chosen();
  return { flag: '--agent', message: 'Agent', choices: () => activeAgents(connect), parse: identifier };
}

async function* activeAgents(connect: Context['services']['chosen']) {
  const { agentChoices } = await import('./choices.ts');
  yield* agentChoices(connect, 'active');
}

export function askNumber(flag: string, message: string, reading: NumberReading): TextQuestion<string> {
  return { flag, message, parse: (text) => readNumber(filled(text).trim(), { place: flag, ...reading }) };
}

export function askCallingNumber(context: Context, reading: NumberReading): ListQuestion<string> {
  return {
    ...askNumber('--from', 'Number to call from', reading),
    choices: async () => (await import('./choices.ts')).numberChoices(context),
    other: 'another number',
  };
}

/** The tables in the working folder are the choice; any other file is typed. */
export function askContactsFile(flag: string): ListQuestion<string> {
  return {
    flag,
    message: 'List of contacts',
    choices: async () => (await import('./choices.ts')).tableChoices(),
    parse: async (text) => (await import('./choices.ts')).existingFile(text.trim()),
    other: 'another file',
  };
}

/** What was chosen for a flag, in the words of the list. */
export function chosenName({ answers }: Io, asked: string): string | undefined {
  return answers.find(({ flag }) => flag === asked)?.name;
}
