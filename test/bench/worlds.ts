/** The attribution of calls in thousands of random worlds whose truth is known: `--worlds 1000 --seed 1`. */
import { parseArgs } from 'node:util';
import { examineAll } from '../support/worlds/examine.ts';

const { values } = parseArgs({ options: { worlds: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.worlds ?? 1000);
const first = Number(values.seed ?? 1);

for (const service of ['engine', 'careless'] as const) {
  const started = performance.now();
  const { sums, faults } = examineAll(service, { first, count });
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  process.stdout.write(`${service}: ${count} worlds from seed ${first}, ${seconds} s, ${faults.length} faults\n`);
  for (const [name, number] of Object.entries(sums)) process.stdout.write(`  ${name} ${number}\n`);
}
