/** `main(argv, env, streams)` runs one command line and returns its exit code. The only place that renders an error. */
import packageJson from '../package.json' with { type: 'json' };
import { InterruptedError, UsageError, VagentError } from './errors.ts';
import { Io, OutputClosed, type Streams } from './io.ts';

export interface Process {
  argv: readonly string[];
  env: Record<string, string | undefined>;
  streams: Streams;
  /** Aborts at the first Ctrl-C. */
  signal: AbortSignal;
}

const UNEXPECTED = 1;

export async function main({ argv, env, streams, signal }: Process): Promise<number> {
  // The most frequent question of scripts is answered before anything else is loaded.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    streams.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  const io = new Io(streams, signal);
  if (env.NO_COLOR) io.wantsColor = false;
  else if (env.FORCE_COLOR) io.wantsColor = env.FORCE_COLOR !== '0';
  try {
    return await runCommand(argv, env, io, signal);
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    return renderError(io, signal.aborted ? interruption(error) : error, isJsonWanted(argv));
  }
}

async function runCommand(argv: readonly string[], env: Process['env'], io: Io, signal: AbortSignal): Promise<number> {
  const [{ buildProgram }, { Context }, { CommanderError }] = await Promise.all([
    import('./program.ts'),
    import('./context.ts'),
    import('commander'),
  ]);
  const commandLine = ['vagent', ...argv].join(' ').slice(0, 200);
  const context = new Context({ io, env, signal, commandLine, systemNow: () => Date.now() });
  const program = await buildProgram(argv.length === 0 ? ['--help'] : argv, context);
  try {
    await program.parse();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error.message);
    await io.data(program.said());
  }
  return context.exitCode;
}

/** Commander's own complaints, as sentences: `error: unknown option '--agnet'\n(Did you mean --agent?)`. */
function usageError(message: string): UsageError {
  const [sentence = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const text = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`.replace(/([^.?!])$/, '$1.');
  return new UsageError(text, { hint: suggestion?.replace(/^\((.*)\)$/, '$1') ?? 'See vagent --help.' });
}

function interruption(error: unknown): unknown {
  return error instanceof VagentError ? error : new InterruptedError();
}

/** Read from the bare arguments: the error may be that they cannot be parsed. */
function isJsonWanted(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) =>
      word === '--json' ||
      word === '--output=json' ||
      word === '-ojson' ||
      (word === 'json' && ['-o', '--output'].includes(argv[at - 1] ?? '')),
  );
}

const MAX_SHOWN_ISSUES = 20;

function renderError(io: Io, error: unknown, asJson: boolean): number {
  const isExpected = error instanceof VagentError;
  const exitCode = isExpected ? error.exitCode : UNEXPECTED;
  const message = error instanceof Error ? error.message : String(error);
  if (asJson) {
    const { code, hint, status, issues } = isExpected
      ? error
      : { code: 'unexpected', hint: undefined, status: undefined, issues: [] };
    io.error(JSON.stringify({ error: { code, message, hint, status, exit_code: exitCode, issues } }));
    return exitCode;
  }
  if (!isExpected) {
    io.error(`vagent: unexpected failure, which is a bug: ${error instanceof Error ? error.stack : message}`);
    return exitCode;
  }
  io.error(`vagent: ${message}`);
  for (const { field, message: fault } of error.issues.slice(0, MAX_SHOWN_ISSUES)) io.error(`  ${field}: ${fault}`);
  const unseen = error.issues.length - MAX_SHOWN_ISSUES;
  if (unseen > 0) io.error(`  … and ${unseen} more (--json shows all)`);
  if (error.hint !== undefined) io.error(`  → ${error.hint}`);
  return exitCode;
}
