/** Facts about what will be done, for a person: a name and a value in each line. */
import { padded, wrap } from '../../text/width.ts';
import type { Io } from './io.ts';
import { cell } from './output.ts';

const NAMES = 12;
/** Columns below which a value stands under its name. */
const NARROWEST_VALUE = 20;

/**
 * Lines that fit the terminal that standard error is, if it is one. Facts without a value are left out; a text of several lines
 * keeps them.
 */
export function factLines(facts: Record<string, unknown>, io: Io): string[] {
  const columns = io.stderrIsTerminal ? io.columns : Number.POSITIVE_INFINITY;
  return Object.entries(facts).flatMap(([name, value]) => {
    const texts = typeof value === 'string' ? value.split(/\r\n|[\r\n]/).map(cell) : [cell(value)];
    if (texts.join('') === '') return [];
    const width = columns - NAMES - 2;
    const lines = (room: number) => texts.flatMap((text) => wrap(text, room));
    if (width < NARROWEST_VALUE) return [`${name}:`, ...lines(columns - 2).map((line) => `  ${line}`)];
    return lines(width).map((line, at) => `${padded(at === 0 ? name : '', NAMES)} ${line}`);
  });
}
