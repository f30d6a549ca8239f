/** Runs one command line: streams and settings, the command, and whatever goes wrong as an exit code. */
import { CommanderError } from 'commander';
import { Context } from './context.ts';
import { InterruptedError, UsageError, VagentError } from './errors.ts';
import { isJsonAsked, renderError } from './failure.ts';
import { Io, OutputClosed, type Streams } from './io.ts';
import { buildProgram } from './program.ts';
import { type Environment, isJson } from './settings.ts';

export interface Process {
  argv: readonly string[];
  env: Environment;
  streams: Streams;
  /** Aborts at the first Ctrl-C. */
  signal: AbortSignal;
}

export async function run({ argv, env, streams, signal }: Process): Promise<number> {
  const io = new Io(streams, signal);
  if (env.NO_COLOR) io.wantsColor = false;
  else if (env.FORCE_COLOR) io.wantsColor = env.FORCE_COLOR !== '0';
  // Before anything can be said of it, even in a complaint about the command line.
  if (env.VAGENT_API_KEY) io.redactor.add(env.VAGENT_API_KEY);
  const context = new Context({
    io,
    env,
    signal,
    commandLine: ['vagent', ...argv].join(' '),
    systemNow: () => Date.now(),
    random: () => Math.random(),
  });
  try {
    await runCommand(argv, context);
    io.releaseNotes();
    return context.exitCode;
  } catch (error) {
    if (error instanceof OutputClosed) return context.exitCode;
    learnKeys(context);
    const isInterrupted = signal.aborted && !(error instanceof VagentError);
    const asJson = context.isParsed ? isJson(context.flags) : isJsonAsked(argv);
    return renderError(io, isInterrupted ? new InterruptedError() : error, asJson);
  } finally {
    context.close();
  }
}

/** A key of a profile that was pasted at the wrong place is not repeated in the complaint about it. */
function learnKeys(context: Context): void {
  try {
    void context.config;
  } catch {
    // That the profiles cannot be read is told where they are needed.
  }
}

/** Commander's help and version texts go to stdout, its errors come out as ours. */
async function runCommand(argv: readonly string[], context: Context): Promise<void> {
  const program = buildProgram(argv.length === 0 ? ['--help'] : argv, context);
  try {
    await program.parse();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error.message);
    await context.io.data(program.said());
  }
}

/** Commander's complaints as our sentences: `error: unknown option '--agnet'\n(Did you mean --agent?)`. */
function usageError(message: string): UsageError {
  const [complaint = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const sentence = complaint
    // Not repeated: what is wrong with it may be credentials.
    .replace(/^option '(--base-url .*?)' argument '.*' is invalid\. It/s, '$1')
    .replace(/^option '(.*)' argument '(.*)' is invalid\. /, '$1 cannot be $2. ')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\. /, '<$2> cannot be $1. ')
    .replace(/([^.?!])$/, '$1.');
  const hint = suggestion?.replace(/^\((.*)\)$/, '$1') ?? 'See vagent --help.';
  return new UsageError(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`, { hint });
}
