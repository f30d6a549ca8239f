/** Runs one command line, and turns whatever goes wrong into a message and an exit code. */
import { CommanderError } from 'commander';
import { isJsonAsked, renderError } from './cli/terminal/advice.ts';
import { terminalFacts } from './cli/terminal/environment.ts';
import { Io, type Streams } from './cli/terminal/io.ts';
import { ask } from './cli/terminal/prompt.ts';
import { OutputClosed, outputOf } from './cli/terminal/standard-output.ts';
import { type Composition, type Context, type ContextParts, compose } from './context.ts';
import { InputError, InterruptedError, reworded, UsageError, VagentError } from './errors.ts';
import { buildProgram } from './program.ts';

export interface Process {
  argv: readonly string[];
  env: ContextParts['env'];
  streams: Streams;
  /** Aborts at the first Ctrl-C. */
  signal: AbortSignal;
  /** Milliseconds since the epoch; by default the system's clock. */
  systemNow?: () => number;
  /** From 0 up to but not including 1; by default Math.random. */
  random?: () => number;
}

export async function run(given: Process): Promise<number> {
  const { argv, env, streams, signal, systemNow = Date.now, random = Math.random } = given;
  const io = new Io(streams, signal, { facts: terminalFacts(env), now: systemNow });
  // Before everything else, because even an error about the command line must not show the key.
  if (env.VAGENT_API_KEY) io.redactor.add(env.VAGENT_API_KEY);
  const composition = compose({
    io,
    env,
    signal,
    commandLine: ['vagent', ...argv].join(' '),
    systemNow,
    random,
  });
  const { context } = composition;
  try {
    await runCommand(argv, composition);
    await io.end();
    io.releaseNotes();
    return context.line.exitCode;
  } catch (error) {
    learnKeys(context);
    // What is shown comes before what failed.
    await io.endData().catch(() => {});
    await io.endScreen().catch(() => {});
    const isInterrupted = signal.aborted && !(error instanceof VagentError);
    const reported = composition.reported(isInterrupted ? new InterruptedError() : error);
    if (reported instanceof OutputClosed) return context.line.exitCode;
    const flags = composition.flags() ?? (isJsonAsked(argv) ? { json: true } : {});
    return renderError(io, reported, flags, answersOf(context, reported));
  } finally {
    io.close();
    composition.close();
  }
}

/** The command line with what was answered before it was refused; undefined if it was shown, or somebody left. */
function answersOf({ io, line }: Context, error: unknown): string | undefined {
  const isKept = io.answers.length > 0 && !line.isShown && error instanceof VagentError;
  return isKept && !(error instanceof InterruptedError) ? line.inFull() : undefined;
}

/** Reads the profiles, so that their keys are masked in the error: one may have been pasted at the wrong place. */
function learnKeys({ settings }: Context): void {
  try {
    settings.config();
  } catch {
    // Unreadable profiles are reported by the commands that need them.
  }
}

/** Bytes that are no text have become this character before they are seen here: what was meant is not known. */
const UNREADABLE = '\ufffd';

function requireText(argv: readonly string[]): void {
  const word = argv.find((each) => each.includes(UNREADABLE));
  if (word === undefined) return;
  throw new InputError(`'${word}' on the command line is not UTF-8: some of its characters cannot be read.`);
}

const HELP = ['--help'];

/** What `vagent` alone means: its help, or what somebody at a terminal chooses who has set nothing up. */
async function firstWords({ io, settings }: Context): Promise<readonly string[]> {
  if (!io.canAsk || !io.stdoutIsTerminal || !isNew(settings)) return HELP;
  return ask<readonly string[]>(io, {
    flag: '',
    message: 'Where to begin',
    help: 'Nothing is set up yet, and no phone rings until you name a service.',
    choices: async () => [
      { name: 'Call a list of people on the simulator: no phone rings', value: ['plan', 'create', '--local'] },
      { name: 'Connect to your service', value: ['profile', 'add'] },
      { name: 'Show the commands', value: HELP },
    ],
  });
}

/** Whether no service was named, the local engine neither. Settings that cannot be read are there. */
function isNew(settings: Context['settings']): boolean {
  try {
    const target = settings.target();
    return target.mode === 'local' && !target.isChosen;
  } catch {
    return false;
  }
}

/** Runs commander. Its help and version texts go to stdout. */
async function runCommand(argv: readonly string[], { context, useFlags }: Composition): Promise<void> {
  requireText(argv);
  const program = buildProgram(argv.length === 0 ? await firstWords(context) : argv, context, useFlags);
  try {
    await program.parse();
  } catch (error) {
    if (error instanceof CommanderError) return context.io.screen(program.written());
    const path = program.path();
    const hasAdvice = !(error instanceof UsageError) || error.hint !== undefined || error.reason !== undefined;
    throw hasAdvice || path === undefined ? error : reworded(error, { hint: `See ${path} --help.` });
  }
}

/** The streams of a process, made when they are first used. */
export function standardStreams(standard: Process['streams']): Process['streams'] {
  const streams: Partial<Process['streams']> = {};
  return {
    get stdin() {
      return standard.stdin;
    },
    get stdout() {
      streams.stdout ??= outputOf(1, () => standard.stdout);
      return streams.stdout;
    },
    get stderr() {
      streams.stderr ??= outputOf(2, () => standard.stderr);
      return streams.stderr;
    },
  };
}
