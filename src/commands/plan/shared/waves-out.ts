/** Tells what of a plan is beyond reach. */
import type { Context } from '../../../context.ts';
import { MARGIN } from '../../../plans/rules.ts';
import { timeAndDistance } from '../../../text/when.ts';
import type { WaveRecord } from './plan-record.ts';

/** `now` in milliseconds since the epoch. */
export function noteWavesOut(waves: readonly WaveRecord[], now: number, { io }: Context): void {
  for (const { wave, campaign_id, contacts, seen, end } of waves) {
    const left = contacts - seen;
    const calls = left === 1 ? '1 call' : `${left} calls`;
    const campaign = campaign_id === null ? '' : ` (campaign ${campaign_id})`;
    // A service need not keep the pace to the second.
    const until = Date.parse(end) + MARGIN;
    const when = until <= now ? 'they should be over and were not seen yet' : `until ${timeAndDistance(until, now)}`;
    io.note(`Wave ${wave}${campaign} was handed over: ${calls} of it may still come, ${when}.`);
  }
}
