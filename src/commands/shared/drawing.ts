/** What a picture at a terminal has to keep to, and its first line. */
import { cell } from '../../terminal/output.ts';
import { painted } from '../../terminal/table.ts';
import { shortened, widthOf } from '../../text/width.ts';

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
