/**
 * `campaign watch` of a campaign of a million contacts on a service whose log grows, at a pseudo-terminal: what it takes of a core
 * beside a bare loop that asks as often, and how long a repainting takes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IPty, spawn as spawnAtTerminal } from '@lydell/node-pty';
import { rowsAt } from '../support/rows.ts';
import { BIN, beside, CONTACTS, measureIn, median, say } from './workplace.ts';

const CALLS = CONTACTS / 4;
const CALLS_A_SECOND = 10;
/** What is measured, once the log has been read. */
const SECONDS = 30;
const REPAINTS = 20;
/** The kernel's ticks in a second. */
const TICKS = 100;
/** Ends every frame. */
const FRAME_END = '\u001b[?7h';

class Screen {
  frames = 0;
  #hear: () => void = () => {};

  constructor(pty: IPty) {
    pty.onData((text) => {
      const count = text.split(FRAME_END).length - 1;
      this.frames += count;
      if (count > 0) this.#hear();
    });
  }

  frame(): Promise<void> {
    return new Promise((resolve) => {
      this.#hear = resolve;
    });
  }
}

let bare: ChildProcess | undefined;
let watch: IPty | undefined;
await measureIn(async (place) => {
  const url = await place.service('growing-log.mjs', String(CONTACTS), String(CALLS), String(CALLS_A_SECOND));
  const flags = ['--contacts', place.contacts(), '--calls-per-hour', '36000', '--yes'];
  place.vagent('campaign', 'create', '--name', 'Bench', '--agent', '3', '--from', '+14155550100', ...flags);

  // It was sent before its first calls.
  const register = await rowsAt(place.path('.local/state/vagent'));
  const sentAt = Date.now() - (CALLS / CALLS_A_SECOND + 60) * 1000;
  await register.put('update requests set sent_at = $1, ended_at = $1', [sentAt]);

  const env = { ...process.env, HOME: place.folder, ...place.connection } as Record<string, string>;
  const terminal = { name: 'xterm-256color', cols: 120, rows: 40, env };
  const began = performance.now();
  watch = spawnAtTerminal(process.execPath, [BIN, 'campaign', 'watch', '9'], terminal);
  bare = spawn(process.execPath, [beside('bare-watch.mjs'), url]);
  const screen = new Screen(watch);
  await screen.frame();
  say(`campaign watch of ${CONTACTS} contacts, ${CALLS} calls, ${CALLS_A_SECOND} more a second`);
  say(`  first picture after ${((performance.now() - began) / 1000).toFixed(1)} s`);

  // Whatever the first reading left behind is cleared away.
  await sleep(5_000);
  const before = [watch.pid, bare.pid as number].map(secondsOf);
  const frames = screen.frames;
  await sleep(SECONDS * 1000);
  const [ours = 0, least = 0] = [watch.pid, bare.pid as number].map((pid, at) => secondsOf(pid) - (before[at] ?? 0));
  const share = (seconds: number) => `${((100 * seconds) / SECONDS).toFixed(1)} % of a core`;
  say(`  bare loop  ${share(least)}`);
  say(`  watch      ${share(ours)} (at most 10 %), ${screen.frames - frames} pictures in ${SECONDS} s`);
  say(`             ${megabytesOf(watch.pid)} MB resident`);

  const times: number[] = [];
  for (let at = 0; at < REPAINTS; at++) {
    await sleep(150);
    const painted = screen.frame();
    const started = performance.now();
    watch.resize(at % 2 === 0 ? 100 : 120, 40);
    await painted;
    times.push(performance.now() - started);
  }
  const [middle, worst] = [median(times), Math.max(...times)].map((time) => time.toFixed(1));
  say(`  repainting, all of it after another size: median ${middle} ms, longest ${worst} ms (at most 50)`);
}).finally(() => {
  watch?.kill('SIGINT');
  bare?.kill();
});

/** Processor time of a process, in seconds. */
function secondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? 0) + (system ?? 0)) / TICKS;
}

function megabytesOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
