/**
 * What people type who know other tools, and what it means here: hidden aliases, in one table. `vagent help aliases` prints it.
 * A name that is a command is never an alias.
 */
import { UsageError } from '../../errors.ts';
import { globalFlag } from './global.ts';

/** Several names of one meaning. */
function named<T>(rows: readonly (readonly [names: string, meant: T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(rows.flatMap(([names, meant]) => names.split(', ').map((name) => [name, meant])));
}

/** Whole commands. */
const COMMANDS = named([
  ['login, init, setup, auth login', 'profile add'],
  ['configure', 'profile edit'],
  ['config, whoami, auth status', 'profile show'],
  ['logout', 'profile remove'],
  ['call list, call ls, call logs', 'logs list'],
  ['call export', 'logs export'],
  ['call show, call get, call status, transcript', 'logs show'],
  ['history', 'logs list'],
  ['export', 'logs export'],
  ['tail', 'logs follow'],
  ['watch, top, monitor', 'campaign watch'],
  ['stats', 'logs stats'],
  ['rehearse, simulate', 'campaign rehearse'],
  ['advance', 'local advance'],
  ['plan show, plan get', 'plan status'],
  ['plan start, plan step', 'plan run'],
  ['plan simulate', 'plan rehearse'],
  ['plan pause, plan halt', 'plan stop'],
  ['plan continue', 'plan resume'],
  ['plan export', 'plan results'],
  ['campaign show, campaign get', 'campaign status'],
  ['campaign simulate', 'campaign rehearse'],
  ['campaign retry, campaign recall', 'campaign redial'],
  ['contacts validate', 'contacts check'],
  ['logs watch', 'logs follow'],
  ['logs download', 'logs export'],
  ['voice play', 'voice preview'],
  ['recording', 'logs recording'],
  ['local serve, server', 'serve'],
  ['trigger-call', 'call'],
  ['create-campaign', 'campaign create'],
  ['get-call-logs', 'logs list'],
  ['create-agent', 'agent create'],
  ['get-agents', 'agent list'],
  ['get-voices', 'voice list'],
  ['man', 'help'],
  ['version', '--version'],
]);

/** Other names of the commands that hold commands. A plural alone means its list: `vagent agents`. */
const NOUNS = named([
  ['calls, log', 'logs'],
  ['campaigns', 'campaign'],
  ['plans, schedules, schedule', 'plan'],
  ['agents', 'agent'],
  ['voices', 'voice'],
  ['profiles', 'profile'],
  ['contact', 'contacts'],
]);

/** Other names of the commands below a noun. The first that the noun has is meant. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  get: ['show'],
  view: ['show'],
  info: ['show'],
  describe: ['show'],
  new: ['create', 'add'],
  add: ['create'],
  create: ['add'],
  rm: ['remove', 'forget'],
  delete: ['remove', 'forget'],
  remove: ['forget'],
  tail: ['follow', 'watch'],
  follow: ['watch'],
  monitor: ['watch', 'follow'],
  top: ['watch'],
};

/** What cannot be done, and what can be done instead. */
const IMPOSSIBLE = named([
  ['wallet, balance', "The service has no operation that shows its wallet. The simulator's: vagent local status"],
  ['number, numbers', "The service has no operation that lists numbers. The simulator's: vagent local number list"],
  [
    'import, contacts import, contacts upload',
    'Contacts are sent with a campaign: vagent campaign create --contacts <file>',
  ],
  ['campaign start', 'A campaign starts at the time that it was created with: vagent campaign create --start <time>'],
  ...['pause', 'stop', 'cancel'].map(
    (verb) =>
      [
        `campaign ${verb}`,
        `The service has no operation that ${verb}s a campaign; a plan can be ${verb === 'cancel' ? 'cancelled' : 'stopped'}: ` +
          'vagent help plans. On the simulator: vagent local campaign pause <id>',
      ] as const,
  ),
  [
    'campaign delete',
    'The service has no operation that deletes a campaign. vagent campaign forget removes what is kept here of whom it called.',
  ],
  [
    'agent edit, agent update',
    'The service has no operation that changes an agent. Create another: vagent agent create',
  ],
  ['agent delete, agent remove', 'The service has no operation that deletes an agent.'],
  ['call stop, hangup', 'The service has no operation that ends a call.'],
  ['contacts split, contacts sample', 'A list is called some at a time, by rules, with a plan: vagent help plans'],
  [
    'register export, register import',
    'A register is copied to another place without a file between, and merged there: vagent register copy --to ' +
      '<folder or postgres://…>',
  ],
  ['update, upgrade', 'vagent is updated with npm, as it was installed.'],
]);

export interface KnownCommands {
  /** The names of the commands below a top-level command, `[]` for one that holds none; undefined for an unknown name. */
  verbsOf(noun: string): readonly string[] | undefined;
  /** What `help` explains beside commands. */
  topics: readonly string[];
}

/** The command line with aliases replaced. Throws UsageError for what the service cannot do. */
export function unaliased(argv: readonly string[], known: KnownCommands): readonly string[] {
  const at = commandWords(argv);
  const isHelp = argv[at[0] ?? -1] === 'help';
  const [nounAt, verbAt] = isHelp ? at.slice(1) : at;
  const noun = argv[nounAt ?? -1];
  if (noun === undefined || nounAt === undefined || (isHelp && known.topics.includes(noun))) return argv;
  const verb = verbAt === undefined ? undefined : argv[verbAt];
  const replaced = (words: string, from: readonly (number | undefined)[]) => {
    const rest = argv.filter((_word, index) => !from.includes(index));
    const before = nounAt - from.filter((index) => index !== undefined && index < nounAt).length;
    return [...rest.slice(0, before), ...words.split(' '), ...rest.slice(before)];
  };

  const both = `${noun} ${verb ?? ''}`.trim();
  const named = known.verbsOf(noun);
  const isCommand = (verb !== undefined && named?.includes(verb)) || (named !== undefined && verb === undefined);
  if (isCommand) return argv;
  for (const words of named === undefined ? [both, noun] : [both]) {
    const from = words === noun ? [nounAt] : [nounAt, verbAt];
    if (Object.hasOwn(IMPOSSIBLE, words)) throw new UsageError(IMPOSSIBLE[words] ?? '');
    if (Object.hasOwn(COMMANDS, words)) return replaced(COMMANDS[words] ?? '', from);
  }
  const meant = Object.hasOwn(NOUNS, noun) ? (NOUNS[noun] ?? noun) : noun;
  const verbs = known.verbsOf(meant) ?? [];
  const meantVerb = verb === undefined ? undefined : verbMeant(verb, verbs);
  if (meantVerb !== undefined) return replaced(`${meant} ${meantVerb}`, [nounAt, verbAt]);
  if (meant === noun) return argv;
  const isPlural = meant !== 'contacts' && noun !== 'log';
  // A mistyped verb is told as such, and is no argument of a list.
  const isList = isPlural && !isHelp && (verb === undefined || !/^[a-z]+$/.test(verb));
  return replaced(isList ? `${meant} list` : meant, [nounAt]);
}

function verbMeant(verb: string, verbs: readonly string[]): string | undefined {
  if (verbs.includes(verb)) return verb;
  return Object.hasOwn(VERBS, verb) ? VERBS[verb]?.find((name) => verbs.includes(name)) : undefined;
}

/** Where the first words of the command line stand, flags of every command and their values left out. */
function commandWords(argv: readonly string[]): number[] {
  const found: number[] = [];
  for (let at = 0; at < argv.length && found.length < 3; at++) {
    const word = argv[at] ?? '';
    if (word === '--') break;
    const flag = globalFlag(word);
    if (!word.startsWith('-')) found.push(at);
    else if (flag?.[2] !== undefined) at += 1;
    // The next word may be the value of a flag that only the command knows.
    else if (found.length > 0 && flag === undefined) break;
  }
  return found;
}

/** The table of aliases as Markdown. */
export function aliasesAsMarkdown(): string {
  const nouns = Object.entries(NOUNS).map(([typed, meant]) => [typed, `vagent ${meant} …`]);
  const commands = Object.entries(COMMANDS).map(([typed, meant]) => [typed, `vagent ${meant}`]);
  const verbs = Object.entries(VERBS)
    .filter(([typed, meant]) => !meant.includes(typed))
    .map(([typed, meant]) => [`… ${typed}`, `… ${meant.join(' or ')}`]);
  const rows = [...commands, ...nouns, ...verbs].map(([typed, meant]) => `| \`vagent ${typed}\` | \`${meant}\` |`);
  return [
    '# Aliases',
    'What people type who know other tools, and what it means here. A plural alone means its list: `vagent agents`.',
    ['| typed | meant |', '| --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}
