/** What may stand in the rows of a plan. Instants and durations are bounded: no sum of them leaves the calendar. */
import * as z from 'zod/mini';
import { FIRST_INSTANT, LAST_INSTANT } from '../../contract.ts';

/** A wave has three bytes in the roster. */
export const MOST_WAVES = 2 ** 24 - 1;

export const count = z.int().check(z.minimum(0));
export const wave = count.check(z.maximum(MOST_WAVES));
/** Milliseconds since the epoch. */
export const instant = z.number().check(z.minimum(FIRST_INSTANT), z.maximum(LAST_INSTANT));
/** Of milliseconds, or of seconds. */
export const amount = z.number().check(z.minimum(0), z.maximum(LAST_INSTANT));
/** Millionths. */
export const money = z.number().check(z.minimum(0));
export const maybe = z.optional;

/** With what a newer vagent may have added. */
export function loose<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.looseObject(shape) as unknown as z.ZodMiniObject<Shape, z.core.$strip>;
}

/** That nobody changes. */
export function list<T extends z.ZodMiniType>(of: T) {
  return z.array(of) as unknown as z.ZodMiniType<readonly z.output<T>[], readonly z.input<T>[]>;
}
