/** Says on a terminal what is waited for, once it takes longer than a moment. */
import type { Io } from './io.ts';

/** Milliseconds before anything is shown. */
const DELAY = 700;

export async function whileWaiting<T>(io: Io, what: string, work: Promise<T>): Promise<T> {
  if (!io.hasProgress) return work;
  const over = new AbortController();
  const shown = setTimeout(() => void show(io, what, over.signal), DELAY);
  try {
    return await work;
  } finally {
    clearTimeout(shown);
    over.abort();
  }
}

async function show(io: Io, text: string, over: AbortSignal): Promise<void> {
  const { default: ora } = await import('ora');
  if (over.aborted) return;
  // Ctrl-C stays with the process: the spinner must not read the terminal.
  const stream = io.streams.stderr as NodeJS.WriteStream;
  const plain = io.isAscii ? { spinner: { frames: ['-', '\\', '|', '/'] } } : {};
  const spinner = ora({ text, stream, discardStdin: false, ...plain }).start();
  over.addEventListener('abort', () => spinner.stop());
}
