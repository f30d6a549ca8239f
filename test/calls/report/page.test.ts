/** The report of `logs stats --html`: a file that is whole or not there, and a page that a browser shows without a network. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { aCall, hostileLog, type LogCall, someCalls } from '../../support/hostile-log.ts';
import { type Answer, sendJson } from '../../support/http.ts';
import { finished, type Operator } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';

/** With characters that HTML spells otherwise. */
const KEY = 'key<of>&tests';
const HOSTILE = '<img src=x onerror=alert(1)>';
const REPORT = ['logs', 'stats', '--html', 'report.html'];

const setUp = (answer: Answer) => shopOf(answer, { env: { VAGENT_API_KEY: KEY } });

/** What a person sees there: the program's own hidden folders are its own affair. */
const filesIn = ({ home }: Operator) => readdirSync(home).filter((name) => !name.startsWith('.'));
const reportOf = ({ home }: Operator) => readFileSync(join(home, 'report.html'), 'utf8');

/** Weeks of calls with labels that mean harm, are long, foreign or many. */
const LABELS = [
  'appointment_scheduled',
  HOSTILE,
  '</title></style></svg><script>alert(2)</script>',
  `"onload="alert(3)`,
  '预约成功了',
  'long '.repeat(60),
  'control\u0000\u0007\u001b[31m',
  `says ${KEY} aloud`,
  ...Array.from({ length: 20 }, (_none, at) => `label ${at}`),
];
const calls: LogCall[] = Array.from({ length: 2000 }, (_none, at) =>
  aCall({
    call_id: `call_${at}`,
    agent_id: 1 + (at % 17),
    call_status: ['completed', 'completed', 'busy', HOSTILE][at % 4],
    call_outcome: LABELS[at % LABELS.length],
    call_duration: (at * 37) % 300,
    timestamp: new Date(Date.parse('2026-08-01T00:00Z') + ((at * 7919) % 100_000) * 60_000).toISOString(),
  }),
);

describe.concurrent('the file', async () => {
  const whole = await setUp(hostileLog({ calls, cap: 1000 }));
  test('is one page that asks for nothing and runs nothing', async () => {
    const filters = ['--agent', '3', '--search', '<b>Hello</b>', '--since', '36h', '--no-color'];
    const { code, stdout, stderr } = await whole.operator.run([...REPORT, ...filters]);
    expect({ code, lastLine: stderr.trimEnd().split('\n').at(-1) }).toEqual({
      code: 0,
      lastLine: 'The report is in report.html.',
    });
    expect(stdout).toMatch(/^calls\t0\n/);
    expect(reportOf(whole.operator).match(/<code>.*<\/code>/)?.[0]).toBe(
      '<code>--agent 3</code> <code>--since 36h</code> <code>--search &lt;b&gt;Hello&lt;/b&gt;</code>',
    );

    expect(await whole.operator.run(REPORT)).toMatchObject({ code: 0 });
    const html = reportOf(whole.operator);
    expect(html).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';`,
    );
    expect(html.match(/<svg /g)).toHaveLength(2 * 7);
    expect(html.match(/<(script|img|link|iframe|object|embed|image|use|a)\b|@import|url\(|\son\w+=["']/gi)).toBeNull();
    const addresses = new Set(html.match(/\b\w+:\/\/[^"' <]+/g));
    expect(addresses).toEqual(new Set(['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink']));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(html.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)).toBeNull();
    expect(html).not.toMatch(/key<of>|key&lt;of|&amp;tests/);
    expect(html).toContain('says &lt;API_KEY&gt; aloud');
    expect(filesIn(whole.operator)).toEqual(['report.html']);
  });

  const beside = await setUp(hostileLog({ calls: someCalls(25) }));
  test('stands beside the numbers of --json', async () => {
    const { stdout } = await beside.operator.run([...REPORT, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ calls: 25 });
    expect(filesIn(beside.operator)).toEqual(['report.html']);
  });

  const empty = await setUp(hostileLog({ calls: [] }));
  test('says that there are no calls', async () => {
    expect(await empty.operator.run(REPORT)).toMatchObject({ code: 0 });
    const html = reportOf(empty.operator);
    expect(html).toContain('There are no such calls.');
    expect(html).not.toContain('<svg');
  });

  const timeless = await setUp(hostileLog({ calls: [aCall({ timestamp: 'soon', call_duration: null })] }));
  test('says what could not be read', async () => {
    expect(await timeless.operator.run(REPORT)).toMatchObject({ code: 0 });
    expect(reportOf(timeless.operator)).toContain('1 without a readable time: counted, but in no day and hour.');
    expect(reportOf(timeless.operator)).toContain('1 completed without a readable duration');
  });

  const broken = await setUp(halfOf((response) => sendJson(response, 500, { message: 'Out of order.' })));
  test('is not there where the service fails halfway, or stays as it was', async () => {
    for (const before of [[], ['report.html']]) {
      // A page is asked for again for as long as this.
      const { code, stdout, stderr } = await broken.operator.run([...REPORT, '--timeout', '1s']);
      expect({ code, stdout, stderr }).toEqual({
        code: 7,
        stdout: '',
        stderr: expect.stringContaining('Out of order'),
      });
      expect(filesIn(broken.operator)).toEqual(before);
      writeFileSync(join(broken.operator.home, 'report.html'), 'yesterday\n');
    }
    expect(reportOf(broken.operator)).toBe('yesterday\n');
  });

  const waiting = await setUp(halfOf(() => {}));
  test('is not there after Ctrl-C', async () => {
    const child = waiting.operator.start(REPORT);
    const outcome = finished(child);
    await vi.waitUntil(() => waiting.server.received.length >= 2, { timeout: 60_000 });
    child.kill('SIGINT');
    expect(await outcome).toMatchObject({ code: 130, stdout: '' });
    expect(filesIn(waiting.operator)).toEqual([]);
  });
});

/** A log of which the first page can be had, and `otherwise` for the rest. */
function halfOf(otherwise: (response: Parameters<Answer>[1]) => void): Answer {
  const answer = hostileLog({ calls: someCalls(45) });
  return (request, response) => (request.query.get('offset') === '0' ? answer(request, response) : otherwise(response));
}

// A browser -------------------------------------------------------------------------------------------------------------

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = BROWSERS.find((path) => existsSync(path));
const isRoot = process.getuid?.() === 0;
const skipped = executablePath === undefined ? ` (skipped: none of ${BROWSERS.join(', ')} is installed)` : '';

describe.skipIf(executablePath === undefined)(`in a browser${skipped}`, async () => {
  const { operator } = await setUp(hostileLog({ calls, cap: 1000 }));
  let browser: Browser;

  beforeAll(async () => {
    expect(await operator.run(REPORT)).toMatchObject({ code: 0 });
    // It takes a second to load, also where no browser is.
    const { chromium } = await import('playwright-core');
    browser = await chromium.launch({ executablePath: executablePath as string, args: isRoot ? ['--no-sandbox'] : [] });
  }, 60_000);
  afterAll(() => browser?.close());

  interface Shown {
    page: Page;
    /** What it asked for, but for itself. */
    requests: string[];
    /** What it complained of or said. */
    complaints: string[];
  }

  /** The report as a person opens it. */
  async function open(options: BrowserContextOptions): Promise<Shown> {
    const page = await (await browser.newContext(options)).newPage();
    const address = pathToFileURL(join(operator.home, 'report.html')).href;
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => request.url() !== address && requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => {
      complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(address, { waitUntil: 'load' });
    return { page, requests, complaints };
  }

  /** Mean brightness of a screenshot, from 0 to 255, and how many colours it has. */
  async function look(page: Page): Promise<{ brightness: number; colors: number }> {
    const screenshot = (await page.screenshot({ fullPage: true })).toString('base64');
    const blank = await page.context().newPage();
    const seen = await blank.evaluate(`(async () => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,${screenshot}')).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const colors = new Set();
      let sum = 0;
      for (let at = 0; at < data.length; at += 4) {
        colors.add((data[at] << 16) + (data[at + 1] << 8) + data[at + 2]);
        sum += (data[at] + data[at + 1] + data[at + 2]) / 3;
      }
      return { brightness: sum / (data.length / 4), colors: colors.size };
    })()`);
    await blank.close();
    return seen as { brightness: number; colors: number };
  }

  /** The words of the charts that can be seen. */
  const wordsOf = (page: Page) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('svg text')].filter((text) => text.checkVisibility()).map((text) => text.textContent)`,
    );

  const looks: { name: string; options: BrowserContextOptions; brightness: [number, number]; chart: string }[] = [
    { name: 'light', options: { colorScheme: 'light' }, brightness: [215, 255], chart: '.light' },
    { name: 'dark', options: { colorScheme: 'dark' }, brightness: [15, 75], chart: '.dark' },
    {
      name: 'dark, on a phone',
      options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
      brightness: [15, 75],
      chart: '.dark',
    },
  ];
  test.each(looks)('$name', async ({ options, brightness: [darkest, brightest], chart }) => {
    const { page, requests, complaints } = await open(options);
    const { brightness, colors } = await look(page);
    expect(brightness).toBeGreaterThan(darkest);
    expect(brightness).toBeLessThan(brightest);
    expect(colors).toBeGreaterThan(50);
    // Seven charts with something drawn in each, as wide as the page and no wider.
    const drawn = await page.evaluate<number[]>(
      `[...document.querySelectorAll('svg')].filter((svg) => svg.checkVisibility() && svg.closest('${chart}'))
        .map((svg) => svg.getBoundingClientRect().width * svg.querySelectorAll('path').length)`,
    );
    expect(drawn).toHaveLength(7);
    for (const area of drawn) expect(area).toBeGreaterThan(1000);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    expect(await wordsOf(page)).toEqual(
      expect.arrayContaining(['completed', 'busy', 'Mon', '23', '2026-08-01', 'not completed']),
    );
    expect({ requests, complaints }).toEqual({ requests: [], complaints: [] });
  });

  test('labels of the service are text, whatever is in them', async () => {
    const { page, complaints } = await open({});
    expect(await page.evaluate(`document.querySelectorAll('img, script, [onload], [onerror]').length`)).toBe(0);
    expect(await page.title()).toBe('Call statistics');
    const cells = await page.evaluate<string[]>(`[...document.querySelectorAll('th')].map((cell) => cell.textContent)`);
    expect(cells.filter((text) => text === HOSTILE)).toHaveLength(2);
    expect(cells).toContain('</title></style></svg><script>alert(2)</script>');
    expect((await wordsOf(page)).filter((text) => text.startsWith('<img src=x'))).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  test('whoever cannot see it is told, and can reach the numbers', async () => {
    const { page } = await open({});
    const charts = await page.getByRole('img').all();
    const names = await Promise.all(charts.map((chart) => chart.getAttribute('aria-label')));
    expect(names).toHaveLength(7);
    expect(names[0]).toBe(`Bars: completed 1,000, ${HOSTILE} 500, busy 500.`);
    expect(await page.getByRole('region').count()).toBe(7);
    expect(await page.getByRole('row', { name: /^busy 500 25\.0 %$/ }).count()).toBe(1);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Status, the numbers');
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  });

  test('paper is white, and has every row', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect((await look(page)).brightness).toBeGreaterThan(215);
    const hidden = `[...document.querySelectorAll('.numbers')].filter((box) => box.scrollHeight > box.clientHeight + 1).length`;
    expect(await page.evaluate(hidden)).toBe(0);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
  });
});
