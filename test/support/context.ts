/** A Context over buffers, so that the `run` of a command is tested in the process, over a service that the test makes. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { GlobalFlags } from '../../src/cli/flags/global.ts';
import { Io } from '../../src/cli/terminal/io.ts';
import { type Context, compose } from '../../src/context.ts';
import { type Service, serviceOf } from '../../src/contract.ts';
import { OptedOut } from '../../src/register/do-not-call.ts';
import type { RegisterAccess } from '../../src/register/ports.ts';
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

const unexpected = (what: string) => async (): Promise<never> => {
  throw new Error(`${what} is not of this test`);
};

export function testContext({ service, flags = {}, env, register, isTerminal = false }: Parts = {}): TestContext {
  const stdout = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const shown = Promise.all([buffer(stdout), buffer(stderr)]);
  const { signal } = new AbortController();
  const systemNow = () => EPOCH;
  const io = new Io({ stdin: new PassThrough().end(), stdout, stderr }, signal, { now: systemNow });
  const variables = { HOME: temporaryFolder(), ...env };
  const parts = { io, env: variables, signal, systemNow, random: () => 0, commandLine: 'vagent test' };
  const { context: whole, useFlags } = compose(parts);
  useFlags(flags);
  const rows = () => rowsAt(whole.settings.stateFolder());
  const answers: Service = { ...serviceOf((operation) => unexpected(operation)()), ...service };
  const context: Context = {
    ...whole,
    notes: { ...whole.notes, progress: () => ({ at() {}, end() {} }) },
    clock: { ...whole.clock, now: async () => EPOCH },
    services: { ...whole.services, chosen: async () => answers, at: unexpected('another service'), announce() {} },
    local: { engine: unexpected('the local engine'), at: unexpected('another store') },
    register: {
      ...{ rows, open: unexpected('the register'), requireNew: unexpected('the register') },
      withoutSent: unexpected('the register'),
      target: () => ({ ...TARGET, isLocal: !whole.settings.isRemote() }),
      optedOut: async () => new OptedOut({ target: TARGET, systemNow, rows: await rows() }),
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
