/** What every command says of the contacts of a campaign or a plan: counts of states, by the name of the command. */
import { stripVTControlCharacters } from 'node:util';
import { CONTACT_STATES } from '../../../src/contract.ts';
import type { Played, Sent } from './world.ts';

export type Counts = Record<string, number>;

interface Listed extends Counts {
  campaign_id: number;
  plan_id: number;
  reached: number;
  waiting: number;
  attempts: number;
}

type Standing = { states: Counts; attempts: number };
export type Result = Record<'phone_number' | 'state' | 'last_result', string>;

export interface Said {
  /** By the command; of those states alone that it says. `attempts` stands beside them, where it says that. */
  counts: Record<string, Counts>;
  /** By the command. */
  rows: Record<string, Result[]>;
}

export async function saidOf(sent: Sent, played: Played): Promise<Said> {
  const { noun, id } = sent;
  const counts: Record<string, Counts> = {};
  const say = async (command: string, read: (args: string[]) => Promise<Counts>) => {
    counts[command] = await read(command.split(' '));
  };
  const key = `${noun}_id` as const;
  const lists = noun === 'plan' ? ['plan list'] : played.isRemote ? ['campaign list'] : LOCAL_LISTS;
  for (const list of lists)
    await say(`${list} --json`, async (args) => {
      const document = await played.json<Record<string, (Standing & Listed)[]>>(...args.slice(0, -1));
      const one = document[`${noun}s`]?.find((listed) => listed[key] === id) as Standing & Listed;
      const { reached, waiting, attempts, states } = one;
      if (states.reached !== reached || states.waiting !== waiting) throw new Error(`${list}: ${JSON.stringify(one)}`);
      return { ...states, attempts };
    });
  for (const list of lists.filter((one) => one !== 'local status')) {
    await say(`${list} -o csv`, async (args) => numbersOf(rowsOfCsv(await played.text(args)), id));
    await say(`${list} at a terminal`, async (args) =>
      numbersOf(
        rowsOfTable(await played.text(args.slice(0, 2 + Number(list.startsWith('local '))), { isTerminal: true })),
        id,
      ),
    );
  }
  for (const verb of ['status', 'watch'])
    await say(`${noun} ${verb} ${id}`, async (args) => {
      const text = verb === 'watch' ? await played.watched(args) : await played.text([...args, '--json']);
      const { states, attempts } = JSON.parse(text) as Standing;
      return { ...states, attempts };
    });
  await say(`${noun} status ${id} at a terminal`, async (args) =>
    drawnCounts(await played.text(args.slice(0, 3), { isTerminal: true })),
  );
  const results = [noun, 'results', String(id)];
  const rows = {
    [`${noun} results ${id} --json`]: (await played.json<{ contacts: Result[] }>(...results)).contacts,
    [`${noun} results ${id} -o csv`]: rowsOfCsv(await played.text([...results, '-o', 'csv'])) as Result[],
    [`${noun} results ${id} at a terminal`]: rowsOfTable(await played.text(results, { isTerminal: true })) as Result[],
  };
  for (const [command, found] of Object.entries(rows))
    counts[command] = Object.fromEntries(
      CONTACT_STATES.map((state) => [state, found.filter((row) => wordOf(row.state) === state).length]),
    );
  for (const state of ['reached', 'waiting'])
    await say(`${noun} results ${id} --state ${state}`, async (args) => ({
      [state]: (await played.json<{ contacts: Result[] }>(...args)).contacts.length,
    }));
  // Calls, and those in which somebody talked, by the share that is told.
  const filters = [['--from', sent.from], ...(noun === 'plan' ? [] : [['--campaign', String(id)]])];
  for (const filter of filters)
    await say(`logs stats ${filter.join(' ')}`, async (args) => {
      const { calls, answer_rate } = await played.json<{ calls: number; answer_rate: number | null }>(...args);
      return { calls, talks: Math.round((answer_rate ?? 0) * calls * 1e6) / 1e6 };
    });
  if (sent.rehearsed !== undefined && counts[`${noun} status ${id}`]?.waiting === 0)
    counts['campaign rehearse'] = { reached: sent.rehearsed };
  if (noun === 'plan') {
    // It may send what is due.
    const { states } = await played.json<Standing>('plan', 'run', String(id));
    const { states: then } = await played.json<Standing>('plan', 'status', String(id));
    for (const [state, count] of Object.entries(then))
      if (states[state] !== count) throw new Error(`plan run ${id}: ${state} ${states[state]}, then ${count}`);
  }
  return { counts, rows };
}

const LOCAL_LISTS = ['campaign list', 'local campaign list', 'local status'];

/** A table writes the labels of states in words. */
export function wordOf(label: string): string {
  return label.trim().replaceAll(' ', '_');
}

function numbersOf(rows: Record<string, string>[], id: number): Counts {
  const row = rows.find((one) => Number(Object.values(one)[0]) === id);
  const named = Object.entries(row ?? {}).filter(([name]) =>
    ['reached', 'waiting', 'attempts', 'not_reached'].includes(name),
  );
  if (named.length < 2) throw new Error(`no counts of ${id} in ${JSON.stringify(rows)}`);
  return Object.fromEntries(named.map(([name, text]) => [name, Number(text)]));
}

/** Without quotes: no cell of these has one. */
function rowsOfCsv(text: string): Record<string, string>[] {
  const [header = [], ...lines] = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
}

/** By where the names stand in the header. */
function rowsOfTable(text: string): Record<string, string>[] {
  const [header = '', ...lines] = stripVTControlCharacters(text).trimEnd().split('\n');
  const names = [...header.matchAll(/\S+(?: \S+)*/g)];
  return lines.map((line) =>
    Object.fromEntries(
      names.map((name, at) => [
        name[0].toLowerCase().replaceAll(' ', '_'),
        line.slice(name.index, names[at + 1]?.index).trim(),
      ]),
    ),
  );
}

/** `█ reached 12  ▓ not reached 3`, or `reached 12, not reached 3`. */
function drawnCounts(text: string): Counts {
  const counts: Counts = {};
  for (const state of CONTACT_STATES) {
    const found = new RegExp(`(?<!not )\\b${state.replaceAll('_', ' ')} (\\d+)`).exec(stripVTControlCharacters(text));
    if (found !== null) counts[state] = Number(found[1]);
  }
  if (counts.reached === undefined) throw new Error(`no counts in ${text}`);
  return counts;
}
