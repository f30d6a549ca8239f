/**
 * Plans in thousands of random worlds: `--worlds 10000 --seed 1 --show 3`. It prints its seed, what happened how often, and
 * each world in which something happened that must not; `--show` so many of them made as small as they go. `--path` plays one
 * of them again, and makes it small by the mistake of `--rule`. At its end it names a few worlds that together have all kinds
 * of faults and show everything.
 */
import { parseArgs } from 'node:util';
import { examine, report, zonesOfPlaces } from '../support/plan-worlds/examine.ts';
import { worlds } from '../support/plan-worlds/generate.ts';
import type { Rule } from '../support/plan-worlds/oracle/view.ts';
import { facetsOf, SOMETIMES, type Sometimes } from '../support/plan-worlds/sometimes.ts';
import type { World } from '../support/plan-worlds/world.ts';
import fc from '../support/properties.ts';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string' },
    seed: { type: 'string' },
    show: { type: 'string' },
    path: { type: 'string' },
    rule: { type: 'string' },
  },
});
const SEED = Number(values.seed ?? Date.now() % 2 ** 31);
const WORLDS = Number(values.worlds ?? 10_000);
const SHOWN = Number(values.show ?? 0);
/** Milliseconds for making one world small. */
const PATIENCE = 60_000;
/** After so many worlds it says how far it is: a run may be ended before its end. */
const REPORTED = 250;
/** One world in so many has thousands of contacts. */
const CROWD_IN = 60;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  // Until its end is reached: a process that has nothing left to do ends without a word.
  process.exitCode = 1;
  const zonesOf = await zonesOfPlaces();
  /** It stays the same mistake while the world gets smaller. */
  const isGood = async (world: World, rule: Rule | undefined) =>
    !(await examine(world, zonesOf)).breaches.some((breach) => rule === undefined || breach.rule === rule);
  if (values.path !== undefined) {
    process.exitCode = 0;
    return show(values.path, values.rule as Rule | undefined);
  }

  const sums = { commands: 0, waves: 0, dials: 0, contacts: 0, local: 0, kills: 0 };
  const happened = new Map<Sometimes, number>();
  const shown: { at: number; what: Set<string> }[] = [];
  const broken = new Map<Rule, number>();
  const failures: { at: number; rule: Rule }[] = [];
  const started = performance.now();
  let at = -1;
  say(`seed ${SEED}, ${WORLDS} worlds`);
  const failed = (rule: Rule, text: string) => {
    failures.push({ at, rule });
    say(`✗ world ${at} (--seed ${SEED} --path ${at}): ${rule}: ${text}`);
  };
  const each = fc.asyncProperty(worlds({ crowdIn: CROWD_IN }), async (world) => {
    at += 1;
    if (at > 0 && at % REPORTED === 0) say(`${at} worlds, ${failures.length} with faults`);
    const examined = await examine(world, zonesOf).catch((error: Error) => error);
    if (examined instanceof Error) return failed('behaviour', examined.message.split('\n', 1)[0] as string);
    const { played, breaches, sometimes } = examined;
    const { history, commands, kills } = played;
    sums.commands += commands;
    sums.waves += history.posts.filter(({ wave }) => wave !== undefined).length;
    sums.dials += history.dials.length;
    sums.contacts += history.plans.reduce((sum, plan) => sum + plan.contacts, 0);
    sums.local += world.isLocal ? 1 : 0;
    sums.kills += kills;
    for (const what of sometimes) happened.set(what, (happened.get(what) ?? 0) + 1);
    shown.push({ at, what: new Set([...sometimes, ...facetsOf(world)]) });
    for (const rule of new Set(breaches.map((breach) => breach.rule))) broken.set(rule, (broken.get(rule) ?? 0) + 1);
    const [first] = breaches;
    if (first !== undefined) failed(first.rule, first.text);
  });
  await fc.assert(each, { seed: SEED, numRuns: WORLDS });

  for (const { at: world, rule } of failures.slice(0, SHOWN)) await show(String(world), rule);
  say(`\n${WORLDS} worlds, seed ${SEED}, ${((performance.now() - started) / 1000).toFixed(0)} s`);
  say(
    Object.entries(sums)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  );
  for (const what of SOMETIMES) say(`${String(happened.get(what) ?? 0).padStart(8)}  ${what}`);
  say(`Together these show everything: ${cover(shown).join(', ')}`);
  for (const [rule, count] of broken) say(`${String(count).padStart(8)}  ✗ ${rule}`);
  say(failures.length === 0 ? 'Nothing happened that must not.' : `${failures.length} worlds with faults.`);
  process.exitCode = failures.length === 0 ? 0 : 1;

  /** The world of a path, or the smallest like it. */
  async function show(path: string, rule: Rule | undefined): Promise<void> {
    const end = performance.now() + PATIENCE;
    // Two worlds at once would share the functions of the file system: the last one is waited for.
    const isOver = () => performance.now() > end;
    const property = fc.asyncProperty(worlds({ crowdIn: CROWD_IN }), async (world) => isOver() || isGood(world, rule));
    const found = await fc.check(property, { seed: SEED, path, numRuns: 1, endOnFailure: path.includes(':') });
    const [world] = found.counterexample ?? [];
    if (world === undefined) return void say(`--seed ${SEED} --path ${path}: nothing is wrong.`);
    say(`\n--seed ${SEED} --path ${found.counterexamplePath}\n${report(world, await examine(world, zonesOf))}`);
  }
}

/** A few worlds that have all that is in any of them: each time the one with the most that is new. */
function cover(all: readonly { at: number; what: ReadonlySet<string> }[]): number[] {
  const left = new Set(all.flatMap(({ what }) => [...what]));
  const chosen: number[] = [];
  const news = (what: ReadonlySet<string>) => [...what].filter((one) => left.has(one)).length;
  while (left.size > 0) {
    const best = all.reduce((one, other) => (news(other.what) > news(one.what) ? other : one));
    for (const one of best.what) left.delete(one);
    chosen.push(best.at);
  }
  return chosen.sort((one, other) => one - other);
}

void main();
