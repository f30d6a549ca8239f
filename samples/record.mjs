/**
 * Records the main job as it shows on a terminal of 80 columns, and writes it as an animated SVG: `npm run record`. The program is
 * run for real, on the local engine, with a clock that stands still, so that a recording changes only where the program does.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { drawing } from './record/drawing.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const COLUMNS = 80;
const ROWS = 24;
const FROM = '--agent 1 --from +14155550100';

const COMMANDS = [
  'vagent contacts check list.csv',
  `vagent plan create list.csv --name Spring ${FROM} --window 09:00-20:00`,
  'vagent plan rehearse Spring',
  'vagent plan run Spring --until-done --advance',
  'vagent plan status Spring',
  'vagent plan results Spring --out results.xlsx',
  'vagent logs stats',
];

/** Printed before each prompt, and shown by no terminal. */
const PROMPT = '\u001b]133;A\u0007';

const home = mkdtempSync(join(tmpdir(), 'vagent-recording-'));
try {
  cpSync(join(ROOT, 'samples/contacts.csv'), join(home, 'list.csv'));
  writeFileSync(join(home, 'vagent'), `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/bin/vagent.js' "$@"\n`, {
    mode: 0o755,
  });
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 1000, allowProposedApi: true });
  const scenes = await play(screen);
  const path = join(ROOT, 'samples/recording.svg');
  const svg = drawing(linesOf(screen), scenes, { columns: COLUMNS, rows: ROWS });
  writeFileSync(path, svg);
  process.stdout.write(`${path}: ${scenes.length} commands, ${Math.ceil(svg.length / 1024)} KB\n`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Types the commands into a shell. Returns for each the line of its prompt, the lines that it takes, and that of the next prompt. */
async function play(screen) {
  let prompts = 0;
  let hear = () => {};
  const shell = spawn('bash', ['--norc', '--noprofile', '-i'], {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    cwd: home,
    env: {
      HOME: home,
      PATH: `${home}${delimiter}${process.env.PATH}`,
      TERM: 'xterm-256color',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      PAGER: 'cat',
      PS1: `\\[${PROMPT}\\]$ `,
      BASH_SILENCE_DEPRECATION_WARNING: '1',
      VAGENT_LOCAL: '1',
      VAGENT_TEST_CLOCK: '2026-11-20T09:00:00Z',
      NODE_OPTIONS: `--require=${ROOT}/test/support/frozen-clock.cjs`,
    },
  });
  shell.onData((text) =>
    screen.write(text, () => {
      prompts += text.split(PROMPT).length - 1;
      hear();
    }),
  );
  const until = async (isReached) => {
    while (!isReached()) await new Promise((resolve) => (hear = resolve));
  };
  const line = () => screen.buffer.active.baseY + screen.buffer.active.cursorY;
  const scenes = [];
  await until(() => prompts === 1);
  for (const command of COMMANDS) {
    const first = line();
    shell.write(command);
    await until(() => textFrom(screen, first).endsWith(command));
    const typed = line();
    shell.write('\r');
    await until(() => prompts === scenes.length + 2 && textFrom(screen, line()).startsWith('$'));
    scenes.push({ first, output: typed + 1, next: line(), length: command.length });
  }
  shell.kill('SIGKILL');
  return scenes;
}

/** The text from a line on; a line that goes on in the next is one with it. */
function textFrom(screen, first) {
  const { active } = screen.buffer;
  let text = '';
  for (let at = first; at <= active.baseY + active.cursorY; at++) text += active.getLine(at)?.translateToString() ?? '';
  return text.trimEnd();
}

/** Every line as runs of cells that look alike: column, text, colour from the terminal's sixteen, and style. */
function linesOf(screen) {
  const { active } = screen.buffer;
  return Array.from({ length: active.baseY + active.cursorY + 1 }, (_, at) => runsOf(active.getLine(at)));
}

function runsOf(line) {
  const runs = [];
  for (let column = 0; column < COLUMNS; column++) {
    const cell = line?.getCell(column);
    const text = cell?.getChars() || ' ';
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = {
      colour: cell.isFgPalette() ? cell.getFgColor() : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const last = runs.at(-1);
    const isSame = last !== undefined && JSON.stringify(last.look) === JSON.stringify(look);
    if (isSame) {
      last.text += text;
      last.cells += cell.getWidth();
    } else runs.push({ column, text, cells: cell.getWidth(), look });
  }
  // Spaces at both ends show nothing.
  return runs
    .map(({ column, text, cells, look }) => {
      const start = text.length - text.trimStart().length;
      const end = text.length - text.trimEnd().length;
      return { column: column + start, text: text.trim(), cells: cells - start - end, look };
    })
    .filter(({ text }) => text !== '');
}
