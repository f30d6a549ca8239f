/** What a terminal showed after each repainting of a picture, from all that a program wrote. */
import xterm from '@xterm/headless';

/** The sequence that ends each frame. */
const FRAME_END = '\u001b[?7h';

export interface Frame {
  /** Every line that was written, those that have scrolled away first, without spaces and empty lines at the end. */
  lines: string[];
  /** Whether the terminal had to break one. */
  isBroken: boolean;
}

export async function framesOf(output: string, columns: number, rows = 40): Promise<Frame[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const frames: Frame[] = [];
  for (const part of output.split(FRAME_END)) {
    await new Promise<void>((done) => terminal.write(part + FRAME_END, done));
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length }, (_none, at) => active.getLine(at));
    const lines = all.map((line) => line?.translateToString(true).trimEnd() ?? '');
    while (lines.at(-1) === '') lines.pop();
    frames.push({ lines, isBroken: all.some((line) => line?.isWrapped) });
  }
  terminal.dispose();
  return frames;
}
