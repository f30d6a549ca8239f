/**
 * A file that `logs sync` keeps, and whatever may stop a run: a call of the file system that fails, a kill without warning
 * at any byte or at any moment. The next run makes it what one run would have made it: every call, and none twice. The log
 * is newest first and the calls are far apart, so that a run that stops must not seem to have come further than it did.
 */
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FileFormat, readCallFile } from '../../src/calls/call-file.ts';
import { type Synced, syncCalls } from '../../src/calls/sync.ts';
import type { Service } from '../../src/contract.ts';
import { FileError } from '../../src/errors.ts';
import type { FileSystem } from '../../src/storage/files/file-system.ts';
import { CREDENTIALS } from '../conformance.ts';
import { callAt, type DatedLog, datedLog, HOUR } from '../support/dated-log.ts';
import { EPOCH, testEngine } from '../support/engine.ts';
import { Disk, FAULTS, FaultyFiles, hastyFiles } from '../support/faulty-files.ts';
import { howMany } from '../support/full-matrix.ts';
import type { LogCall } from '../support/hostile-log.ts';
import { startServer } from '../support/http.ts';
import { Operator, ROOT, temporaryFolder } from '../support/program.ts';

const FORMATS: FileFormat[] = ['ndjson', 'csv'];
const KNOWN = 6;
const NEW = 12;

const engine = testEngine();
const backend = engine.backend(CREDENTIALS);
/** Answers that were given since the log last changed. */
const answers = new Map<string, ReturnType<Service['getCallLogs']>>();
const service: Service = {
  ...backend,
  getCallLogs(request) {
    const key = JSON.stringify(request);
    const answer = answers.get(key) ?? backend.getCallLogs(request);
    answers.set(key, answer);
    return answer;
  },
};

/** Places calls, half a day apart. */
async function placeCalls(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    engine.clock.now += 12 * HOUR;
    await service.triggerCall({
      use_agent_id: 1,
      called_to: '+14155550190',
      call_from: '+14155550100',
      custom_first_line: 'Hello, "Ana",\r\nthis is Ava.',
      custom_identifiers: '',
    });
  }
  answers.clear();
}

/** One run, as the command would do it. */
async function syncOnce(fs: FileSystem, path: string, format: FileFormat): Promise<Synced> {
  const options = { name: 'calls', format, newColumns: ['call_id'], now: engine.clock.now, agentId: undefined };
  const file = existsSync(path) ? await readCallFile(createReadStream(path), options) : undefined;
  return syncCalls(
    { fs, path, spoolPath: `${path}.part`, name: 'calls', format, file, columns: undefined },
    { service, agentId: undefined, concurrency: 1, redact: (text) => text, onPage: () => {} },
  );
}

const idsInTexts = new Map<string, string[]>();

/** The call_ids of a file, in its order. Many files hold the same. */
function idsIn(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const ids = idsInTexts.get(text) ?? idsInText(text, path);
  idsInTexts.set(text, ids);
  return [...ids];
}

function idsInText(text: string, path: string): string[] {
  if (path.endsWith('.csv')) return (parse(text, { columns: true }) as LogCall[]).map(({ call_id }) => call_id);
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as LogCall).call_id);
}

/** What the file was before the run that is stopped, and after one that was not. */
const before: Partial<Record<FileFormat, Buffer>> = {};
const after: Partial<Record<FileFormat, Buffer>> = {};
const everyId = Array.from({ length: KNOWN + NEW }, (_none, at) => `call_${String(at + 1).padStart(10, '0')}`);

beforeAll(async () => {
  const paths = FORMATS.map((format) => [format, join(temporaryFolder(), `calls.${format}`)] as const);
  const sync = async (kept: typeof before) => {
    for (const [format, path] of paths) {
      await syncOnce(hastyFiles, path, format);
      kept[format] = readFileSync(path);
    }
  };
  await placeCalls(KNOWN);
  await sync(before);
  await placeCalls(NEW);
  await sync(after);
});

/** Each fault strikes at every so many calls, others in each run. */
const EVERY = howMany(3, 1);
const FIRST = 1 + (Date.now() % EVERY);

describe.each(FORMATS)('%s', (format) => {
  test('a run that is not stopped adds the new calls at the end, oldest first', () => {
    const path = join(temporaryFolder(), `calls.${format}`);
    writeFileSync(path, after[format] as Buffer);
    expect(idsIn(path)).toEqual(everyId);
    expect(after[format]?.subarray(0, before[format]?.length)).toEqual(before[format]);
  });

  test('the adding stops at any byte', async () => {
    const [start, whole] = [before[format] as Buffer, after[format] as Buffer];
    const step = Math.max(1, Math.floor((whole.length - start.length) / 60));
    const lineEnds = [...whole.keys()].filter((at) => at >= start.length && whole[at - 1] === 0x0a);
    const places = [...Array(60).keys()].map((at) => start.length + at * step);
    for (const end of new Set([...places, ...lineEnds])) {
      const path = join(temporaryFolder(), `calls.${format}`);
      writeFileSync(path, whole.subarray(0, end));
      const { total } = await syncOnce(hastyFiles, path, format);
      expect(idsIn(path), `cut at ${end}`).toEqual(everyId);
      expect(total).toBe(everyId.length);
    }
  });

  for (const isFirst of [true, false]) {
    describe(isFirst ? 'the first run' : 'a later run', () => {
      test.each(FAULTS)('%s at any call of the file system', async (kind) => {
        for (let at = FIRST; ; at += EVERY) {
          const folder = temporaryFolder();
          const path = join(folder, `calls.${format}`);
          if (!isFirst) writeFileSync(path, before[format] as Buffer);
          const faulty = new FaultyFiles(folder);
          faulty.fault = { kind, at };
          const failure = await syncOnce(faulty.files, path, format).then(
            () => undefined,
            (error: unknown) => error,
          );
          const struck = `${kind} at ${faulty.calls[at - 1]}`;
          if (kind === 'power cut') faulty.die();
          expect({ left: faulty.left, misused: faulty.misused }, struck).toEqual({ left: [], misused: [] });
          if (failure !== undefined) expect(failure, struck).toBeInstanceOf(FileError);
          else expect(idsIn(path), struck).toEqual(everyId);

          await syncOnce(hastyFiles, path, format);
          expect(idsIn(path).sort(), struck).toEqual(everyId);
          if (faulty.calls.length < at) return;
        }
      });

      test('what a run has told of outlasts a power cut', async () => {
        const folder = temporaryFolder();
        const path = join(folder, `calls.${format}`);
        if (!isFirst) writeFileSync(path, before[format] as Buffer);
        const faulty = new FaultyFiles(folder);
        faulty.disk = new Disk(folder);
        await syncOnce(faulty.files, path, format);
        expect(faulty.disk.image({ names: 'none', bytes: 'none' }).get(`calls.${format}`)).toEqual(after[format]);
      });
    });
  }
});

const DYING = { NODE_OPTIONS: `--require=${join(ROOT, 'test/support/dying.cjs')}` };

describe.concurrent('kill -9 at any step', async () => {
  for (const format of FORMATS) {
    const log: DatedLog = { calls: [], order: 'newest first', cap: 50 };
    const { url } = await startServer(datedLog(log));
    const operator = new Operator({
      env: { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' },
    });
    const command = ['logs', 'sync', '--out', `calls.${format}`];
    /** Runs with new calls in the log. */
    const run = (at?: number) => {
      for (let more = 0; more < 40; more++)
        log.calls.push(callAt(EPOCH - (9000 - log.calls.length) * HOUR, `call_${log.calls.length}`));
      const env = { ...DYING, ...(at !== undefined && { VAGENT_TEST_DIES_AT: String(at) }) };
      return operator.runProgram(command, { env });
    };

    test(format, async () => {
      const { stderr: first } = await run();
      const steps = Number(/It made (\d+) steps/.exec(first)?.[1]);
      for (let at = FIRST; at < steps; at += EVERY) expect(await run(at)).toMatchObject({ signal: 'SIGKILL' });
      const { code, stderr } = await run();
      expect(code, stderr).toBe(0);
      expect(idsIn(join(operator.home, `calls.${format}`)).sort()).toEqual(
        log.calls.map(({ call_id }) => call_id).sort(),
      );
      expect(stderr).toContain(`(${log.calls.length.toLocaleString('en-US')} in all).`);
    });
  }
});
