/** The attribution of calls in thousands of random worlds whose truth is known: `--worlds 1000 --seed 1`. */
import { parseArgs } from 'node:util';
import { examine } from '../support/worlds/examine.ts';
import { attribute } from '../support/worlds/keyed.ts';
import { describe, shrink } from '../support/worlds/shrink.ts';
import { Totals } from '../support/worlds/table.ts';
import { makeWorld, type World } from '../support/worlds/world.ts';

const { values } = parseArgs({
  options: { worlds: { type: 'string' }, seed: { type: 'string' }, show: { type: 'string' } },
});
const WORLDS = Number(values.worlds ?? 1000);
const SEED = Number(values.seed ?? 1);
/** How many worlds with a fault are shown, each made as small as it goes. */
const SHOWN = Number(values.show ?? 0);
/** Milliseconds for making one world small. */
const PATIENCE = 20_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

for (const service of ['engine', 'careless'] as const) {
  const totals = new Totals();
  const started = performance.now();
  let shown = 0;
  for (let seed = SEED; seed < SEED + WORLDS; seed++) {
    const world = makeWorld(seed, service);
    const findings = examine(world, attribute);
    totals.add(world, findings);
    if (findings.faults.length > 0)
      say(`${service} ${seed}: ${findings.faults.length} faults, first: ${findings.faults[0]}`);
    if (findings.faults.length === 0 || shown >= SHOWN) continue;
    shown += 1;
    showSmallest(world);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  say(`\n${service}: ${WORLDS} worlds, seeds ${SEED} to ${SEED + WORLDS - 1}, ${seconds} s`);
  for (const line of totals.lines()) say(line);
}

function showSmallest(world: World): void {
  const end = performance.now() + PATIENCE;
  const smallest = shrink(world, (smaller) => performance.now() < end && examine(smaller, attribute).faults.length > 0);
  const { faults, said } = examine(smallest, attribute);
  say(`\n${faults.join('\n')}\n${describe(smallest, (id) => said.get(id))}`);
}
