/** A Context over buffers, so that the `run` of a command is tested in the process, over a service that the test makes. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { GlobalFlags } from '../../src/cli/flags/global.ts';
import { Io } from '../../src/cli/terminal/io.ts';
import type { Context } from '../../src/context.ts';
import { type Service, serviceOf } from '../../src/contract.ts';
import type { RegisterAccess } from '../../src/register/access.ts';
import { OptedOut } from '../../src/register/do-not-call.ts';
import { Settings } from '../../src/settings/settings.ts';
import { EPOCH } from './engine.ts';
import { temporaryFolder } from './program.ts';
import { rowsAt } from './rows.ts';

export interface TestContext {
  context: Context;
  /** Ends the streams, and returns what was written to them. */
  written(): Promise<{ stdout: string; stderr: string }>;
}

const TARGET = { service: 'https://calls.example', isLocal: false, organizationId: 1 };

interface Parts {
  /** What the service answers; any other operation fails the test. */
  service?: Partial<Service>;
  flags?: GlobalFlags;
  env?: Record<string, string>;
  register?: Partial<RegisterAccess>;
  isTerminal?: boolean;
}

export function testContext({
  service = {},
  flags = {},
  env = {},
  register = {},
  isTerminal = false,
}: Parts = {}): TestContext {
  const stdin = new PassThrough();
  stdin.end();
  const stdout = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const shown = Promise.all([buffer(stdout), buffer(stderr)]);
  const { signal } = new AbortController();
  const io = new Io({ stdin, stdout, stderr }, signal, { now: () => EPOCH });
  const variables = { HOME: temporaryFolder(), ...env };
  const unexpected = (what: string) => async (): Promise<never> => {
    throw new Error(`${what} is not of this test`);
  };
  const answers: Service = { ...serviceOf((operation) => unexpected(operation)()), ...service };
  const settings = new Settings({ flags: () => flags, env: variables, io, signal });
  const context: Context = {
    io,
    notes: {
      redact: (text) => io.redactor.redact(text),
      note: (text) => io.note(text),
      warn: (text) => io.warn(text),
      progress: () => ({ at() {}, end() {} }),
    },
    signal,
    flags,
    settings,
    line: {
      exitCode: 0,
      command: 'vagent test',
      inFull: () => 'vagent test',
      only: () => '',
      except: () => '',
      requireFree() {},
    },
    clock: { system: () => EPOCH, now: async () => EPOCH, byAnswers: () => undefined },
    services: {
      chosen: async () => answers,
      at: unexpected('another service'),
      download: unexpected('a file of a service'),
      proxyFor: async () => undefined,
      announce: () => {},
    },
    local: { engine: unexpected('the local engine'), at: unexpected('another store') },
    register: {
      rows: () => rowsAt(settings.stateFolder()),
      open: unexpected('the register'),
      target: () => ({ ...TARGET, isLocal: !settings.isRemote() }),
      requireNew: unexpected('the register'),
      withoutSent: unexpected('the register'),
      optedOut: async () =>
        new OptedOut({ target: TARGET, systemNow: () => EPOCH, rows: await rowsAt(settings.stateFolder()) }),
      guarded: (guarded) => guarded,
      ...register,
    },
  };
  return {
    context,
    async written() {
      stdout.end();
      stderr.end();
      const [out, talk] = await shown;
      return { stdout: out.toString(), stderr: talk.toString() };
    },
  };
}
