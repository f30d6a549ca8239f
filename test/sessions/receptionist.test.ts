/**
 * From a receptionist's list to a spreadsheet of results: four commands at a real terminal, answers to what is asked, and no flag
 * but the file's name. The same people as a semicolon CSV in Windows-1252 and as a workbook.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import iconv from 'iconv-lite';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshEnvironment, Operator } from '../support/program.ts';
import { isInstalled } from '../support/shell.ts';
import { play, type Step } from '../support/terminal.ts';
import { CRONTAB, fakePrograms } from '../support/timers.ts';
import { workbookOf } from '../support/workbook.ts';
import { partsOf } from '../support/zip.ts';

/** Nine in the morning in Madrid, in winter. */
const MORNING = '2026-11-20T08:00:00.000Z';
const HEADER = ['Nombre', 'Teléfono', 'Cita', 'Nota'];
const NAMES = ['Begoña Núñez', 'José García', 'Íñigo Peña', 'Zoë Güell', 'Óscar Cañas', 'Lucía Íñiguez'];
/** Numbers of Madrid and of mobiles, as they are typed, and the days of appointments as spreadsheets count them. */
const PEOPLE = Array.from({ length: 12 }, (_none, at) => ({
  name: NAMES[at % NAMES.length] as string,
  phone: at % 3 === 2 ? 626_969_535 + 7 * at : 916_971_432 + 11 * at,
  day: 46_352 + at,
  note: at % 4 === 0 ? 'Revisión; llamar' : 'Limpieza',
}));
const shownDay = (day: number) => new Date(Date.UTC(1899, 11, 30 + day)).toISOString().slice(0, 10);
const inSpain = (day: number) => shownDay(day).split('-').reverse().join('/');

const CSV = iconv.encode(
  [HEADER, ...PEOPLE.map(({ name, phone, day, note }) => [name, String(phone), inSpain(day), `"${note}"`])]
    .map((cells) => `${cells.join(';')}\r\n`)
    .join(''),
  'windows-1252',
);
const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const WORKBOOK = workbookOf({
  sheets: {
    Pacientes: {
      rows: `<row>${HEADER.map(text).join('')}</row>${PEOPLE.map(
        ({ name, phone, day, note }) =>
          `<row>${text(name)}<c><v>${phone}</v></c><c s="1"><v>${day}</v></c>${text(note)}</row>`,
      ).join('')}`,
    },
  },
  formats: ['dd/mm/yyyy'],
});

const ENTER = '\r';
const CHOICES: Step[] = [/Country of these numbers/, 'Spain', /ES Spain/, ENTER];
/** Which of the encodings is asked of the CSV alone: the first that is offered is right. */
const ENCODING: Step[] = [/Which of them is right\?/, '1252', /windows-1252/, ENTER];
const ANSWERS: Step[] = [
  ...[/Name of the plan/, 'Revisiones', ENTER, /Agent/, ENTER],
  ...[/Number to call from/, ENTER, /Local hours of calls/, '09:00-20:00', ENTER],
];

/** Plays the story with one file; returns the path of the results, and what was typed. */
async function story(file: string, content: Buffer, asked: readonly Step[]) {
  const env = { TZ: 'Europe/Madrid', VAGENT_LOCAL: '1' };
  const operator = new Operator({ frozenAt: MORNING, env });
  const { env: withFakes } = fakePrograms({ crontab: CRONTAB }, operator.home);
  writeFileSync(join(operator.home, file), content);
  const typed: string[] = [];
  const at = async (args: readonly string[], steps: readonly Step[]) => {
    typed.push(args.join(' '), ...steps.filter((step): step is string => typeof step === 'string' && step !== ENTER));
    const { code, text: shown } = await play(operator, args, steps, { env: { PATH: withFakes.PATH } });
    expect(code, shown).toBe(0);
    return shown;
  };
  const cron = async () => {
    const line = readFileSync(join(operator.home, 'tab'), 'utf8')
      .replace(/^(\S+ ){5}/, '')
      .replaceAll('\\%', '%');
    const options = { env: { ...freshEnvironment(operator.home, { frozenAt: MORNING }), PATH: '/usr/bin:/bin' } };
    for (let hours = 0; hours < 60; hours += 2) {
      expect(execFileSync('/bin/sh', ['-c', line], { ...options, encoding: 'utf8', stdio: 'pipe' })).toBe('');
      const { state } = await operator.json(['plan', 'status', '1']);
      if (state === 'done') return;
      await operator.json(['local', 'advance', '2h']);
    }
  };

  const created = await at(['plan', 'create', file], [...asked, ...CHOICES, ...ANSWERS]);
  expect(created).toContain('12 numbers reformatted, such as 916971432 → +34916971432');
  expect(created).toMatch(/Nobody is called until it is run.*\n {2}vagent plan schedule 1\n/);
  const scheduled = await at(['plan', 'schedule'], [/Install it\?/, 'y', ENTER]);
  expect(scheduled).toContain('To take it away: vagent plan schedule 1 --remove');
  const watched = await at(['plan', 'watch'], [/Watching/, cron, /Plan 1, Revisiones, is done/]);
  // The flag of a workbook need not be looked up.
  expect(watched).toContain('Next: vagent plan results 1 --out results.xlsx');
  const written = await at(['plan', 'results', '--out', 'results.xlsx'], []);
  expect(written).toMatch(/12 contacts written to results\.xlsx\.\n12 contacts: \d+ reached/);
  return { results: join(operator.home, 'results.xlsx'), typed, operator };
}

type Story = Awaited<ReturnType<typeof story>>;
let stories: Story[];
beforeAll(async () => {
  const fromCsv = await story('pacientes.csv', CSV, ENCODING);
  stories = [fromCsv, await story('pacientes.xlsx', WORKBOOK, [])];
}, 120_000);

const RESULTS = [
  ...['state', 'last_result', 'attempts', 'last_status', 'last_outcome', 'first_call (Europe/Madrid)'],
  ...[
    'last_call (Europe/Madrid)',
    'talk_seconds',
    'call_ids',
    'recording_url',
    'ambiguous',
    'next_call (Europe/Madrid)',
  ],
];

test('nothing is typed twice, and no flag but --out', () => {
  for (const { typed } of stories) {
    expect(new Set(typed).size).toBe(typed.length);
    expect(typed.filter((words) => words.includes('--'))).toEqual(['plan results --out results.xlsx']);
  }
});

test('both lists give the same results, the same texts beside the same calls', () => {
  const [fromCsv, fromWorkbook] = stories.map(({ results }) => partsOf(readFileSync(results)));
  expect(fromWorkbook).toEqual(fromCsv);
});

// LibreOffice, which knows nothing of vagent, is installed where somebody wants it: apt-get install libreoffice-calc.
describe.skipIf(!isInstalled('soffice'))('in LibreOffice (skipped where soffice is not installed)', () => {
  let rows: string[][];
  beforeAll(() => {
    const { results, operator } = stories[0] as Story;
    const profile = pathToFileURL(join(operator.home, 'libreoffice')).href;
    // Cells as they are shown, between semicolons, each text in quotes: what has none is a number or a date.
    const format = 'csv:Text - txt - csv (StarCalc):59,34,76,1,,0,true,true';
    const args = [`-env:UserInstallation=${profile}`, '--headless', '--convert-to', format];
    execFileSync('soffice', [...args, '--outdir', join(operator.home, 'shown'), results], { stdio: 'ignore' });
    const shown = readFileSync(join(operator.home, 'shown/results.csv'), 'utf8');
    rows = shown
      .trimEnd()
      .split('\n')
      .map((line) => line.match(/"[^"]*"|[^;]+|(?<=;|^)(?=;|$)/g) ?? []);
  }, 60_000);

  test('each column has its own, with the zone of its times in the header', () => {
    expect(rows[0]).toEqual([...HEADER, ...RESULTS].map((name) => `"${name}"`));
    expect(rows).toHaveLength(1 + PEOPLE.length);
    for (const cells of rows) expect(cells).toHaveLength(16);
  });

  test('numbers to call are texts as they were written, and times are dates in Madrid', async () => {
    const { contacts } = await (stories[0] as Story).operator.json<{
      contacts: { last_call: string; attempts: number }[];
    }>(['plan', 'results', '1']);
    for (const [at, { name, phone, day, note }] of PEOPLE.entries()) {
      const cells = rows[at + 1] ?? [];
      expect(cells.slice(0, 4)).toEqual([name, phone, inSpain(day), note].map((cell) => `"${cell}"`));
      const { last_call, attempts } = contacts[at] as { last_call: string; attempts: number };
      expect(cells[6]).toBe(String(attempts));
      const local = new Date(Math.round(Date.parse(last_call) / 1000) * 1000 + 3_600_000).toISOString();
      expect(cells[10]).toBe(local.slice(0, 19).replace('T', ' '));
    }
  });
});
