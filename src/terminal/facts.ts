/** Facts about what will be done, for a person: a name and a value in each line. */
import { padded, wrap } from '../text/width.ts';
import type { Io } from './io.ts';
import { cell } from './output.ts';

const NAMES = 12;
/** Columns below which a value stands under its name. */
const NARROWEST_VALUE = 20;

/** Lines that fit the terminal that standard error is, if it is one. Facts without a value are left out. */
export function factLines(facts: Record<string, unknown>, io: Io): string[] {
  const columns = io.stderrIsTerminal ? io.columns : Number.POSITIVE_INFINITY;
  return Object.entries(facts).flatMap(([name, value]) => {
    const text = cell(value);
    if (text === '') return [];
    const width = columns - NAMES - 2;
    if (width < NARROWEST_VALUE) return [`${name}:`, ...wrap(text, columns - 2).map((line) => `  ${line}`)];
    return wrap(text, width).map((line, at) => `${padded(at === 0 ? name : '', NAMES)} ${line}`);
  });
}
