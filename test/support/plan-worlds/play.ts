/** Plays a world, until every plan has come to its end. */
import type { ZonesOfPlace } from './command-line.ts';
import { bringToEnd } from './ending.ts';
import { type Played, Stage } from './stage.ts';
import { take } from './steps.ts';
import { MINUTE, type World } from './world.ts';

export async function play(world: World, zonesOf: ZonesOfPlace): Promise<Played> {
  const began = performance.now();
  const before = world.isLocal ? [] : world.before;
  const past = before.reduce((sum, { pause }) => sum + pause * MINUTE, 0);
  const stage = new Stage(world, zonesOf, world.start - past);
  try {
    await stage.open();
    for (const step of before) await take(stage, step);
    await stage.makePlans();
    for (const step of world.steps) await take(stage, step);
    await bringToEnd(stage);
    return await stage.played(performance.now() - began);
  } finally {
    await stage.close();
  }
}
