import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { InvalidArgumentError } from 'commander';
import type { OptionsOf } from '../cli/flags/values.ts';
import { filled, integerFrom, repeated, wait } from '../cli/flags/values.ts';
import { printRecord } from '../cli/terminal/output.ts';
import type { Context } from '../context.ts';
import { BODY_LIMITS } from '../engine/policy.ts';
import { VagentError } from '../errors.ts';
import { FAULT_KINDS, type FaultRule, parseFaultRule } from '../http/server/faults.ts';
import type { CommandModule } from './shared/command.ts';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8787;

const FLAGS = {
  host: ['--host <address>', `address to listen on (default ${DEFAULT_HOST})`, filled],
  allowHost: [
    '--allow-host <name>',
    'accept requests for this name too, besides loopback and --host',
    repeated(hostName),
  ],
  port: ['--port <n>', `port, 0 for a free one (default ${DEFAULT_PORT})`, integerFrom(0, 65_535)],
  latency: ['--latency <duration>', 'time before each request is handled', wait],
  fault: [
    '--fault <operation:fault[:rate or count]>',
    `an HTTP status or one of ${FAULT_KINDS.join(', ')}; a count like 3 for the first requests, a rate like 0.5 for a share`,
    repeated(faultRule),
  ],
} as const;

export const command: CommandModule = {
  examples: [
    'vagent serve --port 8787',
    'vagent serve --host 0.0.0.0 --allow-host sandbox.example',
    'vagent serve --port 0 --latency 1s --fault trigger-call:reset-after:1 --fault get-call-logs:429:0.2',
  ],
  exits: 'engine',
  isLive: true,
  takes: (command) => command.takesFlags(FLAGS),
  run,
};

/** A name or an address as in a URL, without the port. */
function hostName(text: string): string {
  if (isIPv6(text) || /^[\w.-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a name or an address without a port, such as sandbox.example or ::1.');
}

function faultRule(text: string): FaultRule {
  const rule = parseFaultRule(text);
  if (rule !== undefined) return rule;
  throw new InvalidArgumentError(
    `It must be <operation>:<fault>[:<rate or count>], such as trigger-call:500:2 or *:reset:0.1; faults: a ` +
      `status from 400 to 599, ${FAULT_KINDS.join(', ')}.`,
  );
}

/** Runs until it is interrupted, which is its normal end: exit code 0. */
async function run(context: Context, options: OptionsOf<typeof FLAGS>): Promise<void> {
  const { io, signal, clock } = context;
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  const { allowHost: allowHosts = [], latency: latencyMs = 0, fault: faults = [] } = options;
  const [{ listen }, { backend, admit, store, database, timeline, timelineOf }] = await Promise.all([
    import('../http/server/listen.ts'),
    // A request that was accepted is finished even after an interrupt.
    context.local.engine(new AbortController().signal),
  ]);
  // A damaged store is reported now, not to the first client.
  await timeline.stored();
  const onFailure = (error: unknown) => {
    io.error(`vagent: ${error instanceof Error ? error.message : error}`);
    if (error instanceof VagentError && error.hint !== undefined) io.error(`  → ${error.hint}`);
  };
  const now = () => timeline.lastKnownNow();
  const served = { backend, admit, limits: BODY_LIMITS, now, onFailure };
  const listening = await listen({ ...served, host, allowHosts, port, latencyMs, faults });
  // Several servers of one database play what falls due, each what the others leave.
  const due = database?.due.bind(database);
  const playing = { timelineOf, systemNow: clock.system, onFailure };
  const player = due && new (await import('../local/player.ts')).Player({ due, ...playing });
  player?.start();
  try {
    await printRecord(context, { url: listening.url, store: store.location });
    if (listening.isExposed) {
      io.warn(
        `other machines can reach ${listening.url}: anyone with the key can use it, by a name that --allow-host gives.`,
      );
    }
    io.note('Serving the simulator; no real call is placed. End with Ctrl-C.');
    io.releaseNotes();
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await listening.close();
    await player?.stop();
  }
}
