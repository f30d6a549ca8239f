/**
 * Draws a recording as an SVG that plays without a script. All lines that were ever shown stand below one another, each as text;
 * what was not there yet is hidden, what has been scrolled away is moved out, and a cover is drawn away from what is being typed.
 */

const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const BAR = 32;

/** Seconds. */
const BEFORE = 0.8;
const A_KEY = 0.035;
const AFTER_TYPING = 0.4;
const TO_READ = 1.4;
const TO_READ_A_LINE = 0.14;
const AT_THE_END = 4;

const COLOURS = {
  background: '#0d1117',
  bar: '#161b22',
  border: '#30363d',
  text: '#e6edf3',
  dim: '#8b949e',
  /** Of a terminal, by their numbers. */
  palette: [
    ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
    ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
  ],
};

/** `lines` are runs of cells; `scenes` say which lines a command was typed in, and which it wrote. */
export function drawing(lines, scenes, { columns, rows }) {
  const { moments, length } = timed(scenes);
  const width = columns * CELL.width + 2 * MARGIN;
  const height = rows * CELL.height + 2 * MARGIN + BAR;
  const percent = (seconds) => `${((seconds / length) * 100).toFixed(3)}%`;
  const styles = [];
  const parts = [];
  // The first prompt is there from the beginning; each other appears with what the command before it wrote.
  const shown = (from, to) => lines.slice(from, to).flatMap((runs, at) => drawnLine(runs, from + at));
  for (const [at, { first, output, next, typedFrom, typedTo, done }] of moments.entries()) {
    const nextOutput = moments[at + 1]?.output ?? next + 1;
    if (at === 0) parts.push(...shown(first, output));
    styles.push(`@keyframes o${at}{0%{visibility:hidden}${percent(done)},100%{visibility:visible}}`);
    parts.push(`<g style="animation-name:o${at}">`, ...shown(output, nextOutput), '</g>');
    for (const [row, key] of typedRows(lines, first, output, columns).entries()) {
      const name = `t${at}-${row}`;
      const [start, end] = [key.start, key.end].map((share) => typedFrom + (typedTo - typedFrom) * share);
      const away = `transform:translateX(${(key.cells * CELL.width).toFixed(1)}px)`;
      const typing = `${percent(start)}{transform:none;visibility:visible;animation-timing-function:steps(${key.cells})}`;
      const typed = `${percent(end)}{${away};visibility:visible}${percent(end + 0.001)},100%{${away};visibility:hidden}`;
      styles.push(`@keyframes ${name}{0%{transform:none}${typing}${typed}}`);
      // The cursor waits at the prompt, and comes to a line that is not the first of its command when that is typed.
      styles.push(
        `@keyframes c${name}{0%{transform:none;visibility:${row === 0 ? 'visible' : 'hidden'}}${typing}${typed}}`,
      );
      parts.push(drawnCover(name, first + row, key, width));
    }
  }
  styles.push(scrolling(moments, rows, percent));
  const last = Math.max(0, lines.length - rows);
  const top = BAR + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="vagent at work in a terminal">
<title>vagent: check contacts, rehearse and create a campaign, let it run, read its calls</title>
<style>
text{fill:${COLOURS.text};font:14px ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",Consolas,monospace;white-space:pre}
.b{font-weight:bold}.d{fill:${COLOURS.dim}}
${COLOURS.palette.map((colour, at) => `.c${at}{fill:${colour}}`).join('')}
g[style],#s{animation-duration:${length.toFixed(2)}s;animation-iteration-count:infinite;animation-timing-function:step-end}
#s{animation-name:s}
${styles.join('\n')}
@media (prefers-reduced-motion:reduce){g[style],#s{animation-duration:0s}.k{display:none}#s{transform:translateY(${-last * CELL.height}px)}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="${COLOURS.background}" stroke="${COLOURS.border}"/>
<path d="M0 ${BAR}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${BAR}z" fill="${COLOURS.bar}"/>
<circle cx="20" cy="16" r="6" fill="#ff5f57"/><circle cx="40" cy="16" r="6" fill="#febc2e"/><circle cx="60" cy="16" r="6" fill="#28c840"/>
<clipPath id="w"><rect y="${top}" width="${width}" height="${rows * CELL.height}"/></clipPath>
<g clip-path="url(#w)"><g transform="translate(0 ${top})"><g id="s">
${parts.join('\n')}
</g></g></g>
</svg>
`;
}

/** When each command is typed, when its output is there, and how long that takes to be read. Seconds. */
function timed(scenes) {
  let now = 0;
  const moments = scenes.map((scene) => {
    const typedFrom = now + BEFORE;
    const typedTo = typedFrom + scene.length * A_KEY;
    const done = typedTo + AFTER_TYPING;
    const tall = (scene.next - scene.output) * TO_READ_A_LINE;
    now = done + TO_READ + tall;
    return { ...scene, typedFrom, typedTo, done, tall };
  });
  return { moments, length: now + AT_THE_END };
}

function drawnLine(runs, line) {
  return runs.map(({ column, text, cells, look }) => {
    const classes = [look.isBold && 'b', look.isDim && 'd', look.colour < 16 && `c${look.colour}`].filter(Boolean);
    const attribute = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
    const x = (MARGIN + column * CELL.width).toFixed(1);
    const length = (cells * CELL.width).toFixed(1);
    return `<text x="${x}" y="${baseline(line)}" textLength="${length}"${attribute}>${escaped(text)}</text>`;
  });
}

function baseline(line) {
  return (line + 1) * CELL.height - 4;
}

/** The lines of a command: behind the prompt or from the edge, to the end; and at which share of the keys each begins and ends. */
function typedRows(lines, first, output, columns) {
  const rows = lines.slice(first, output).map((runs, at) => {
    const { column = 0, cells = 0 } = runs.at(-1) ?? {};
    const from = at === 0 ? 2 : 0;
    return { from, cells: Math.min(columns, column + cells) - from };
  });
  const all = rows.reduce((sum, { cells }) => sum + cells, 0);
  let before = 0;
  return rows.map(({ from, cells }) => {
    const start = before / all;
    before += cells;
    return { from, cells, start, end: before / all };
  });
}

/** Hides what is not typed yet, behind the cursor. */
function drawnCover(name, line, { from }, width) {
  const x = (MARGIN + from * CELL.width).toFixed(1);
  const y = line * CELL.height;
  const drawn = (animation, colour, wide) =>
    `<g class="k" style="animation-name:${animation}"><rect x="${x}" y="${y}" width="${wide}" height="${CELL.height}" fill="${colour}"/></g>`;
  return `${drawn(name, COLOURS.background, width)}\n${drawn(`c${name}`, COLOURS.dim, CELL.width)}`;
}

/** Lines leave at the top when those below need the room. Output that is taller than the window is shown from its beginning. */
function scrolling(moments, rows, percent) {
  const to = (line, timing = '') => `{transform:translateY(${-Math.max(0, line) * CELL.height}px)${timing}}`;
  const steps = moments.flatMap(({ first, output, next, typedFrom, done, tall }) => {
    const end = next + 1 - rows;
    const typed = `${percent(typedFrom)}${to(output - rows)}`;
    if (end <= first) return [typed, `${percent(done)}${to(end)}`];
    const [from, until] = [done + TO_READ, done + TO_READ + tall];
    const pause = `${percent(done)},${percent(from - 0.001)}${to(first)}`;
    return [
      typed,
      pause,
      `${percent(from)}${to(first, ';animation-timing-function:linear')}`,
      `${percent(until)}${to(end)}`,
    ];
  });
  const { next = 0 } = moments.at(-1) ?? {};
  return `@keyframes s{0%{transform:none}${steps.join('')}100%${to(next + 1 - rows)}}`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
