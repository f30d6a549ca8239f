/**
 * Plans in random worlds, through their commands: against a service over HTTP that fails in every way, and on the local engine.
 * `test/bench/plan-worlds.ts` plays thousands, and plays a world again by its seed and path.
 */
import { expect, test } from 'vitest';
import { examine, report } from '../support/plan-worlds/examine.ts';
import { worlds } from '../support/plan-worlds/generate.ts';
import { SOMETIMES, type Sometimes } from '../support/plan-worlds/sometimes.ts';
import { zonesOfPlaces } from '../support/plan-worlds/zones-of-places.ts';
import fc from '../support/properties.ts';

/** So many that hardly a run misses any of what must happen sometimes; `VAGENT_FULL_MATRIX=1` plays more. */
const WORLDS = process.env.VAGENT_FULL_MATRIX === '1' ? 1000 : 120;
/** Milliseconds: it takes half a minute where nothing else runs. */
const PATIENCE = 1_800_000;

test(
  'in no world a plan does what it must not, and in some it has to hold back',
  async () => {
    const zonesOf = await zonesOfPlaces();
    const happened = new Map<Sometimes, number>();
    const each = fc.asyncProperty(worlds({ crowdIn: 60 }), async (world) => {
      const examined = await examine(world, zonesOf);
      for (const what of examined.sometimes) happened.set(what, (happened.get(what) ?? 0) + 1);
      if (examined.breaches.length > 0) throw new Error(report(world, examined));
    });
    await fc.assert(each, { numRuns: WORLDS });
    process.stdout.write(SOMETIMES.map((what) => `${what}: ${happened.get(what) ?? 0}\n`).join(''));
    expect(SOMETIMES.filter((what) => !happened.has(what))).toEqual([]);
  },
  PATIENCE,
);
