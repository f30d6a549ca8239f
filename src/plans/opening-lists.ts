/** Lists of openings, rising and without overlap. */
import type { Opening } from './hours.ts';

export function intersection(ones: readonly Opening[], others: readonly Opening[]): Opening[] {
  const common: Opening[] = [];
  let [at, other] = [0, 0];
  while (at < ones.length && other < others.length) {
    const [one, two] = [ones[at] as Opening, others[other] as Opening];
    const from = Math.max(one.from, two.from);
    const until = Math.min(one.until, two.until);
    if (from < until) common.push({ from, until });
    if (one.until < two.until) at++;
    else other++;
  }
  return common;
}

/** Those that meet as one. */
export function joined(openings: readonly Opening[]): Opening[] {
  const list: Opening[] = [];
  for (const opening of openings) {
    const last = list.at(-1);
    if (last !== undefined && opening.from <= last.until) {
      list[list.length - 1] = { from: last.from, until: Math.max(last.until, opening.until) };
    } else list.push(opening);
  }
  return list;
}
