/** What a picture at a terminal has to keep to, and parts of it. */

import { shortened, widthOf } from '../../text/width.ts';
import type { Io } from './io.ts';
import { cell } from './output.ts';
import { painted } from './table.ts';

export interface Drawing {
  /** Characters to a line. */
  width: number;
  /** The most lines. */
  height: number;
  hasColours: boolean;
  /** Stands for what was cut off. */
  mark: string;
  /** Masks keys, before a text is cut: nobody would know the rest of one. */
  redact: (text: string) => string;
}

/** By default as wide as the terminal, and of any height. */
export function drawingAt(
  io: Io,
  { columns, rows }: { columns: number; rows: number } = { columns: io.columns, rows: Number.POSITIVE_INFINITY },
): Drawing {
  return {
    ...{ width: columns, height: rows, hasColours: io.colorsStdout, mark: io.isAscii ? '...' : '…' },
    redact: (text) => io.redactor.redact(text),
  };
}

const NARROWEST_NAME = 8;

/** The name of what is shown, and the first of `rests` beside which it has room; the name is cut beside the last one. */
export function drawTitle(name: string, rests: readonly [string, ...string[]], drawing: Drawing): string {
  const { width, mark, redact, hasColours } = drawing;
  const whole = cell(redact(name));
  const rest = rests.find((one) => widthOf(whole + one) <= width) ?? (rests.at(-1) as string);
  const plain = shortened(whole, Math.max(NARROWEST_NAME, width - widthOf(rest)), mark);
  const shown = shortened(plain + rest, width, mark);
  if (!hasColours || !shown.startsWith(plain)) return shown;
  return painted(plain, 1) + shown.slice(plain.length);
}
