/** Waves that the service refused, and calls of them that it made all the same. */
import type { Span } from '../../calls/attribution/launched.ts';
import type { LoadedPlan } from '../plan.ts';
import type { SeenCall } from '../settle.ts';
import { blocksUntil } from '../waves.ts';
import type { KeptEntry } from './kept-entry.ts';
import { ROUNDED } from './own-waves.ts';

export interface RefusedWave {
  wave: number;
  /** The key of the number that would have called. */
  from: string;
  /** When its calls would have been made. */
  span: Span;
  /** The contacts; asked only for calls in its span that nothing else explains. */
  rows(): ReadonlySet<number>;
}

export function spanOf(wave: Parameters<typeof blocksUntil>[0]): Span {
  return { from: wave.start - ROUNDED, until: blocksUntil(wave) };
}

/** Milliseconds by which a service may correct the time of a call. */
export const SAME_CALL = 30_000;

/** The call as one of a refused wave, if it can be: it is not known yet, and was made to a contact of the wave in its time. */
export function refusedCall(
  { roster }: LoadedPlan,
  refused: readonly RefusedWave[],
  { phone, from, at }: Pick<KeptEntry, 'phone' | 'at'> & { from: string },
): Pick<SeenCall, 'row' | 'wave' | 'at' | 'isAmbiguous' | 'isOfRefused'> | undefined {
  const waves = refused.filter((wave) => wave.from === from && at !== undefined && isIn(wave.span, at));
  if (at === undefined || waves.length === 0) return undefined;
  const rows = roster.rowsOfPhone(phone);
  const isKnown = rows.some((row) =>
    Array.from({ length: roster.dials }, (_none, rank) => roster.dialOf(row, rank)).some(
      (dial) => Math.abs(dial - at) <= SAME_CALL,
    ),
  );
  if (isKnown) return undefined;
  for (const { wave, rows: rowsOf } of waves) {
    const row = rows.find((candidate) => rowsOf().has(candidate));
    if (row !== undefined) return { row, wave, at, isAmbiguous: false, isOfRefused: true };
  }
  return undefined;
}

function isIn({ from, until }: Span, at: number): boolean {
  return from <= at && at <= until;
}
