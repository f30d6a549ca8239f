/** What a terminal shows of all that a program wrote, at its end, or after each repainting of a picture. */

import xterm from '@xterm/headless';
import { expect } from 'vitest';

/** Every line that was written, those that have scrolled away first, without spaces and empty lines at the end. */
interface Frame {
  lines: string[];
  /** Whether the terminal had to break one. */
  isBroken: boolean;
}

/** The sequence that ends each picture. */
const FRAME_END = '\u001b[?7h';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that show and hide the cursor
const CURSOR = /\u001b\[\?25([hl])/g;

export async function framesOf(output: string, columns: number, rows = 40): Promise<Frame[]> {
  const { frames } = await watched(output.split(FRAME_END), columns, rows);
  return frames.map(({ text, isBroken }) => ({ lines: text === '' ? [] : text.split(/ *\n/), isBroken }));
}

/** Of pictures of a name that end with a last one: each is whole, and whatever was shown before has gone. */
export function expectWhole(frames: readonly Frame[], name: string): void {
  for (const { lines, isBroken } of frames.slice(0, -1)) {
    expect(isBroken).toBe(false);
    expect(lines.join('\n').split(new RegExp(`^${name}`, 'm')), lines.join('\n')).toHaveLength(2);
  }
}

export async function shownBy(output: string, columns: number, rows = 40) {
  const { frames, marksPastes } = await watched([output], columns, rows);
  const isCursorVisible = [...output.matchAll(CURSOR)].at(-1)?.[1] !== 'l';
  return { text: `${frames[0]?.text}\n`, isCursorVisible, marksPastes };
}

async function watched(parts: readonly string[], columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const frames: { text: string; isBroken: boolean }[] = [];
  for (const part of parts) {
    await new Promise<void>((done) => terminal.write(part + FRAME_END, done));
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length }, (_none, at) => active.getLine(at));
    const text = all.map((line) => line?.translateToString(true) ?? '').join('\n');
    frames.push({ text: text.trimEnd(), isBroken: all.some((line) => line?.isWrapped) });
  }
  const { bracketedPasteMode } = terminal.modes;
  terminal.dispose();
  return { frames, marksPastes: bracketedPasteMode };
}
