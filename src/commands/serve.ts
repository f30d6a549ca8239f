import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { duration, filled, integerFrom, repeated } from '../arguments.ts';
import type { Context } from '../context.ts';
import { MAX_BODY_BYTES } from '../engine/policy.ts';
import { examples } from '../help.ts';
import { printRecord } from '../output.ts';
import { FAULT_KINDS, type FaultRule, parseFaultRule } from '../server/fault-rules.ts';

interface Options {
  host?: string;
  port?: number;
  latency?: number;
  fault?: FaultRule[];
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8787;

export function register(command: Command, context: Context): void {
  command
    .option('--host <address>', `address to listen on (default ${DEFAULT_HOST})`, filled)
    .option('--port <n>', `port, 0 for a free one (default ${DEFAULT_PORT})`, integerFrom(0, 65_535))
    .option('--latency <duration>', 'time before each request is handled', duration)
    .option(
      '--fault <operation:fault[:rate or count]>',
      `an HTTP status or one of ${FAULT_KINDS.join(', ')}; a count like 3 for the first requests, a rate like 0.5 for a share`,
      repeated(faultRule),
    )
    .addHelpText(
      'after',
      examples([
        'vagent serve --port 8787',
        'vagent serve --port 0 --latency 1s --fault trigger-call:reset-after:1 --fault get-call-logs:429:0.2',
      ]),
    )
    .action((options: Options) => run(options, context));
}

function faultRule(text: string): FaultRule {
  const rule = parseFaultRule(text);
  if (rule !== undefined) return rule;
  throw new InvalidArgumentError(
    `It must be <operation>:<fault>[:<rate or count>], such as trigger-call:500:2 or *:reset:0.1; faults: a status from 400 to 599, ${FAULT_KINDS.join(', ')}.`,
  );
}

/** Runs until it is interrupted, which is how it is meant to end: exit code 0. */
async function run({ host, port, latency, fault }: Options, context: Context): Promise<void> {
  const { io, flags, signal } = context;
  const [{ listen }, { backend, store }] = await Promise.all([import('../server/listen.ts'), context.local()]);
  // A damaged store is told now, not to the first client.
  store.snapshot();
  const listening = await listen({
    backend,
    maxBodyBytes: MAX_BODY_BYTES,
    onFailure: (error) => io.error(`vagent: ${error instanceof Error ? error.message : error}`),
    host: host ?? DEFAULT_HOST,
    port: port ?? DEFAULT_PORT,
    latencyMs: (latency ?? 0) * 1000,
    faults: fault ?? [],
  });
  try {
    await printRecord(io, flags, { url: listening.url, store: store.folder });
    io.note('Serving the local engine; no real call is placed. End with Ctrl-C.');
    io.releaseNotes();
    await interrupted(signal);
  } finally {
    await listening.close();
  }
}

/** Resolves when the operator interrupts, or at once if that was before. */
function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
