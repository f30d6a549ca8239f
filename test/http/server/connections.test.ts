/** How `vagent serve` ends: nothing new is taken, what was accepted is answered, nobody is waited for without end. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Backend } from '../../../src/contract.ts';
import { serveEngine, testEngine } from '../../support/engine.ts';
import { BIN, finished, freshEnvironment, Operator } from '../../support/program.ts';
import { head, post, sendAccepted, sendRaw } from './raw.ts';

const VOICES = 'GET /get-voices?organization_id=1&api_key=local-demo-key&language=es';

/** A server that is to close waits for nothing longer than it must: a test would not end. */
const FOREVER = { timeouts: { closing: 1_000_000 } };

/** An engine whose answers wait until they are let go. */
function held(): { backend: Backend; letGo: () => void } {
  const engine = testEngine();
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const backend: Backend = (credentials) => {
    const service = engine.backend(credentials);
    return { ...service, getVoices: (request) => gate.then(() => service.getVoices(request)) };
  };
  return { backend, letGo };
}

/** Connects, and has sent `text` when it resolves. */
async function open(url: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  await new Promise((sent) => socket.write(text, sent));
  return socket;
}

/** A request of which the server has the head, and never gets the body. */
async function halfSent(url: string): Promise<void> {
  const headers = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue'];
  const socket = await open(url, head('POST /trigger-call', headers));
  await once(socket, 'data');
}

async function isRefused(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => false),
    once(socket, 'close').then(() => true),
  ]).catch(() => true);
  socket.destroy();
  return outcome;
}

describe('the server', () => {
  test('answers what was accepted, and takes nothing new', async () => {
    const { backend, letGo } = held();
    const server = await serveEngine({ ...testEngine(), backend });
    const { answer } = await sendAccepted(server.url, VOICES);
    const closing = server.close();
    expect(await isRefused(server.url)).toBe(true);
    letGo();
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await closing;
  });

  test('answers all that came over one connection before it', async () => {
    const { backend, letGo } = held();
    const server = await serveEngine({ ...testEngine(), backend });
    const both = head(VOICES).replace('Connection: close\r\n', '').repeat(2);
    const socket = await open(server.url, both.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    const closing = server.close();
    letGo();
    await closing;
    await closed;
    expect(text.match(/"success":true/g)).toHaveLength(2);
  });

  test.each([
    ['a connection on which nothing was said', ''],
    ['half a head', 'GET /get-voices HTTP/1.1\r\n'],
  ])('does not wait for %s', async (_name, said) => {
    const server = await serveEngine(testEngine(), FOREVER);
    const socket = await open(server.url, said);
    const closed = once(socket, 'close');
    // Connections are taken in turn: with the next one answered, this one is known.
    await sendRaw(server.url, head(VOICES));
    await server.close();
    await closed;
  });

  test('does not wait without end for the rest of a request', async () => {
    const server = await serveEngine(testEngine(), { timeouts: { closing: 300 } });
    await halfSent(server.url);
    await server.close();
  });

  test('waits neither for a connection that is kept after an answer, nor for a fault, nor for a latency', async () => {
    const kept = await serveEngine(testEngine(), FOREVER);
    const socket = await open(kept.url, head(VOICES).replace('Connection: close\r\n', ''));
    await once(socket, 'data');
    await kept.close();

    const hangs = { operation: '*', fault: 'hang', when: { share: 1 } } as const;
    const hanging = await serveEngine(testEngine(), { ...FOREVER, faults: [hangs] });
    const hung = await sendAccepted(hanging.url, VOICES);
    await hanging.close();
    expect(await hung.answer).toMatchObject({ body: '' });

    const late = await serveEngine(testEngine(), { ...FOREVER, latencyMs: 20 * 86_400_000 });
    const { answer } = await sendAccepted(late.url, VOICES);
    await late.close();
    expect(await answer).toMatchObject({ status: 200 });
  });
});

test('a call that came in full is placed, though its sender has gone while it waited', async () => {
  const engine = testEngine();
  const server = await serveEngine(engine, { latencyMs: 20 * 86_400_000 });
  const call = {
    ...{ organization_id: 1, api_key: 'local-demo-key', use_agent_id: 1, called_to: '+14155550190' },
    ...{ call_from: '+14155550100', custom_first_line: 'Hello.', custom_identifiers: '' },
  };
  const socket = await open(server.url, post('/trigger-call', JSON.stringify(call)).join(''));
  // Connections are taken in turn: with a later one heard, this one is.
  const { answer } = await sendAccepted(server.url, VOICES);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  await server.close();
  await answer;
  await vi.waitUntil(async () => (await engine.timeline.stored()).state.next_call_number === 2, { timeout: 60_000 });
});

/** Starts `vagent serve` and resolves with where it listens. */
async function served(child: ChildProcess): Promise<string> {
  for await (const chunk of child.stdout ?? []) {
    const url = /"url": "([^"]+)"/.exec(String(chunk))?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('it did not serve');
}

const SERVE = ['serve', '--port', '0', '--json', '--latency', '20d'];
const UNSHARE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const isAllowed = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;

interface Way {
  start(): ChildProcess;
  kill(child: ChildProcess, signal: NodeJS.Signals): void;
  /** How it ends at the second signal: process 1 has none by itself. */
  second(signal: NodeJS.Signals): object;
}

const plain: Way = {
  start: () => new Operator().start(SERVE),
  kill: (child, signal) => void child.kill(signal),
  second: (signal) => ({ code: null, signal }),
};
const asProcessOne: Way = {
  start() {
    const { home } = new Operator();
    const options = { env: freshEnvironment(home), cwd: home };
    return spawn('unshare', [...UNSHARE, process.execPath, BIN, ...SERVE], options);
  },
  kill: (child, signal) => void process.kill(insideOf(child), signal),
  second: (signal) => ({ code: { SIGTERM: 143, SIGINT: 130 }[signal as 'SIGTERM' | 'SIGINT'] }),
};

describe.each([
  ['the program', plain],
  ...(isAllowed ? [['the program as process 1', asProcessOne] as const] : []),
] as const)('%s', (_name, { start, kill, second }) => {
  test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: a request under way is answered, and the exit code is 0',
    async (signal) => {
      const child = start();
      const ended = finished(child);
      const { answer } = await sendAccepted(await served(child), VOICES);
      kill(child, signal);
      expect(await answer).toMatchObject({ status: 200 });
      expect(await ended).toMatchObject({ code: 0, signal: null });
    },
  );

  test.concurrent.each(['SIGTERM', 'SIGINT'] as const)('%s twice ends it at once', async (signal) => {
    const child = start();
    const ended = finished(child);
    const url = await served(child);
    await halfSent(url);
    kill(child, signal);
    while (!(await isRefused(url))) await sleep(20);
    kill(child, signal);
    expect(await ended).toMatchObject(second(signal));
  });
});

test('SIGTERM interrupts other commands as Ctrl-C does', async () => {
  const child = new Operator().start(['logs', 'follow', '--local']);
  const ended = finished(child);
  await once(child.stderr as NodeJS.ReadableStream, 'data');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, signal: null });
});

/** The number, out here, of the process that is number 1 in there. */
function insideOf(child: ChildProcess): number {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
  return Number(stdout.trim());
}
