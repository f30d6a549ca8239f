/** What a terminal shows of all that a program wrote. */
import xterm from '@xterm/headless';

export interface Shown {
  /** Lines without spaces at their ends; those that have scrolled away come first. */
  text: string;
  isCursorVisible: boolean;
  /** Whether it marks what is pasted. */
  marksPastes: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that show and hide the cursor
const CURSOR = /\u001b\[\?25([hl])/g;

export async function shownBy(output: string, columns: number, rows = 40): Promise<Shown> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(output, done));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_none, at) => active.getLine(at)?.translateToString(true) ?? '');
  const text = `${lines.join('\n').trimEnd()}\n`;
  const isCursorVisible = [...output.matchAll(CURSOR)].at(-1)?.[1] !== 'l';
  const { bracketedPasteMode } = terminal.modes;
  terminal.dispose();
  return { text, isCursorVisible, marksPastes: bracketedPasteMode };
}
