/** Which exit codes a command may end with, by what it met. Anything else is a fault of the command. */
import type { Ended } from './command.ts';
import type { Fault } from './world.ts';

/** Of a run of a plan that is stopped or waits for a look. */
export const HALTED = 11;
/** A stopped, waiting or finished plan refuses what it cannot do. */
const REFUSED = [2, 3];

export function expectedCodes({ args, isStruck }: Ended, together: number, fault: Fault | undefined): number[] {
  const [noun, verb] = args;
  if (noun !== 'plan') return [0, 2, 3, 8];
  // Nobody can be called, or there are too few for a canary.
  if (verb === 'create') return args.includes('--canary') ? [0, 2, 3] : [0, 3];
  if (verb === 'status') return [0];
  if (verb !== 'run') return [0, ...REFUSED];
  const codes = [0, HALTED, ...(together > 1 ? [9] : [])];
  switch (fault?.on) {
    case 'post':
      return [...codes, fault.kind === 402 ? 6 : fault.kind === 429 ? 7 : 8];
    case 'get':
    case 'sleep':
      return [...codes, 7];
    case 'suspension':
      return [...codes, 3, 7];
    case 'disk':
      return isStruck ? [...codes, 3, 7, 8, 9] : codes;
    default:
      return codes;
  }
}
