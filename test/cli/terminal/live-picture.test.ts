/** A picture that repaints itself, on the screen of a terminal that breaks and joins lines as it is made narrower and wider. */
import { PassThrough, Writable } from 'node:stream';
import xterm from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { Io } from '../../../src/cli/terminal/io.ts';
import { LivePicture } from '../../../src/cli/terminal/live-view.ts';

class Screen extends Writable {
  readonly isTTY = true;
  columns = 40;
  rows = 10;
  readonly terminal = new xterm.Terminal({ cols: 40, rows: 10, scrollback: 100, allowProposedApi: true });
  written: string[] = [];

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written.push(bytes.toString());
    // Not held back until the terminal has shown it: what is written is what counts.
    this.terminal.write(bytes.toString());
    done();
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.shown();
    this.columns = columns;
    this.rows = rows;
    this.terminal.resize(columns, rows);
    this.emit('resize');
    await this.shown();
  }

  /** The lines of the screen, without those that have scrolled away, and whether any is broken. */
  async shown(): Promise<{ lines: string[]; isBroken: boolean }> {
    await new Promise<void>((done) => this.terminal.write('', done));
    const { active } = this.terminal.buffer;
    const rows = Array.from({ length: this.rows }, (_none, at) => active.getLine(active.viewportY + at));
    const lines = rows.map((row) => row?.translateToString(true) ?? '');
    while (lines.at(-1) === '') lines.pop();
    return { lines, isBroken: rows.some((row) => row?.isWrapped) };
  }

  get hidesCursor(): boolean {
    return this.written.join('').lastIndexOf('\u001b[?25l') > this.written.join('').lastIndexOf('\u001b[?25h');
  }
}

function stage(draw = (lines: string[], columns: number) => lines.map((line) => line.slice(0, columns))) {
  const screen = new Screen();
  const interrupt = new AbortController();
  const io = new Io({ stdin: new PassThrough(), stdout: screen, stderr: screen }, interrupt.signal, { now: () => 0 });
  let lines: string[] = [];
  const picture = new LivePicture(io, ({ columns }) => draw(lines, columns));
  return {
    ...{ screen, io, interrupt, picture },
    async show(given: string[]) {
      lines = given;
      await picture.paint();
    },
  };
}

test('each picture stands in the place of the one before, longer or shorter', async () => {
  const { screen, io, picture, show } = stage();
  await io.styled('$ vagent\n');
  for (const lines of [['one', 'two'], ['one', 'three', 'four', 'five'], ['six'], ['one', 'two', 'three']]) {
    await show(lines);
    expect((await screen.shown()).lines).toEqual(['$ vagent', ...lines]);
    expect(screen.hidesCursor).toBe(true);
  }
  picture.end();
  await io.styled('$ next\n');
  expect((await screen.shown()).lines).toEqual(['$ vagent', 'one', 'two', 'three', '$ next']);
  expect(screen.hidesCursor).toBe(false);
});

test('one write for a picture, with what has changed; none if nothing has', async () => {
  const { screen, picture, show } = stage();
  await show(['a title', 'one', 'an end']);
  screen.written = [];
  await show(['a title', 'two', 'an end']);
  expect(screen.written).toHaveLength(1);
  expect(screen.written[0]).toContain('two');
  expect(screen.written[0]).not.toMatch(/title|end/);
  await show(['a title', 'two', 'an end']);
  expect(screen.written).toHaveLength(1);
  picture.end();
});

test('never more lines than there are rows, so that all of it can be painted again', async () => {
  const { screen, picture, show } = stage();
  const many = (word: string) => Array.from({ length: 30 }, (_none, at) => `${word} ${at}`);
  await show(many('old'));
  await show(many('new'));
  expect((await screen.shown()).lines).toEqual(many('new').slice(0, 9));
  picture.end();
});

test('what is said meanwhile stays above it', async () => {
  const { screen, io, picture, show } = stage();
  await show(['one', 'two']);
  io.warn('the service fails.');
  await show(['one', 'three']);
  io.note('The service works again.');
  await show(['one', 'four']);
  expect((await screen.shown()).lines).toEqual([
    'Warning: the service fails.',
    'The service works again.',
    'one',
    'four',
  ]);
  picture.end();
});

describe('another size', () => {
  test.each(['60×10', '20×10', '40×5', '40×2', '12×4', '200×60', '39×10', '41×11'])('%s', async (size) => {
    const [columns = 0, rows = 0] = size.split('×').map(Number);
    const { screen, picture, show } = stage();
    const lines = ['the first line, of many words', 'two', 'the third is as long as it can b', 'four', 'five', 'six'];
    await show(lines);
    await screen.resize(columns, rows);
    const cut = lines.slice(0, rows - 1).map((line) => line.slice(0, columns - 1));
    expect(await screen.shown()).toEqual({ lines: cut, isBroken: false });
    await show(['other', ...lines.slice(1)]);
    expect((await screen.shown()).lines).toEqual(['other', ...cut.slice(1)].slice(0, rows - 1));
    await screen.resize(40, 10);
    expect((await screen.shown()).isBroken).toBe(false);
    expect((await screen.shown()).lines.slice(-lines.length)).toEqual(['other', ...lines.slice(1)]);
    picture.end();
  });
});

test('an interrupt shows the cursor at once, and the last picture stays', async () => {
  const { screen, interrupt, picture, show } = stage();
  await show(['one', 'two']);
  interrupt.abort();
  expect(screen.hidesCursor).toBe(false);
  await show(['one', 'three']);
  expect(screen.hidesCursor).toBe(false);
  picture.end();
  await show(['never']);
  expect((await screen.shown()).lines).toEqual(['one', 'three']);
});

test('a line that is wider than anybody thinks is cut off by the terminal', async () => {
  const { screen, picture, show } = stage((lines) => lines);
  await show(['x'.repeat(100), 'two']);
  expect(await screen.shown()).toEqual({ lines: ['x'.repeat(40), 'two'], isBroken: false });
  picture.end();
});
