/** Plays a world and judges it. */
import type { ZonesOfPlace } from './command-line.ts';
import { judge } from './oracle/judge.ts';
import type { Breach } from './oracle/view.ts';
import { play } from './play.ts';
import { happened, type Sometimes } from './sometimes.ts';
import type { Played } from './stage.ts';
import type { World } from './world.ts';

export interface Examined {
  played: Played;
  breaches: Breach[];
  sometimes: Set<Sometimes>;
}

export async function examine(world: World, zonesOf: ZonesOfPlace): Promise<Examined> {
  const played = await play(world, zonesOf);
  return { played, breaches: judge(played.history), sometimes: happened(played) };
}

/** What a person needs to see what went wrong. */
export function report(world: World, { played, breaches }: Pick<Examined, 'played' | 'breaches'>): string {
  const told = breaches.map(({ rule, text }) => `✗ ${rule}: ${text}`);
  return [JSON.stringify(world), ...played.transcript, ...told].join('\n');
}
