/** What the screen of a terminal shows once a program has written to it: its lines, without colours. */
import xterm from '@xterm/headless';

/** More rows than any screen that is compared, so that nothing scrolls away. */
const ROWS = 500;

export async function linesShown(output: string, columns: number): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, allowProposedApi: true });
  await new Promise<void>((written) => terminal.write(output, written));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: ROWS }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
  const end = lines.findLastIndex((line) => line !== '');
  terminal.dispose();
  return lines.slice(0, end + 1);
}
