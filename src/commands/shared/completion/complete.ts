/**
 * Answers a shell's completion function. It is silent about every failure, asks nothing, and changes nothing but its own cache:
 * somebody who presses Tab has not decided anything yet.
 */
import { fileURLToPath } from 'node:url';
import type { Context } from '../../../context.ts';
import { type GlobalFlags, globalOptions } from '../../../flags/global.ts';
import type { Environment } from '../../../settings/folders.ts';
import { cell } from '../../../terminal/output.ts';
import { type Answer, answerTo } from './candidates.ts';
import type { Live } from './live.ts';
import { type Request, readRequest, type Tree } from './request.ts';
import { readLine, SHELLS, type TypedLine } from './words.ts';

/** What the shells' functions make of an answer, as numbers that are added up. The names are those of @bomb.sh/tab. */
const NO_SPACE = 2;
const NO_FILES = 4;
const FOLDERS = 16;
const KEEP_ORDER = 32;

/** Milliseconds from here on in which a service must answer: with the start of the program, a completion takes 150 at most. */
const PATIENCE = 70;
/** The same for a process that nobody waits for. */
const PATIENCE_LATER = 10_000;
/** Follows the name of the shell in the command line of such a process. */
const LATER = 'later';

const NOTHING: Answer = { candidates: [] };
/** Characters; what a shell shows beside a candidate is one line. */
const LONGEST_ABOUT = 80;

interface Setting {
  context: Context;
  /** Sets the flags that were typed, so that the context chooses the service that they mean. */
  useFlags(flags: GlobalFlags): void;
}

/** `words` are those after `vagent complete`: the shell's name, `--`, and the command line. */
export async function complete(words: readonly string[], tree: Tree, setting: Setting): Promise<void> {
  const shell = SHELLS.find((name) => name === words[0]) ?? 'bash';
  const began = performance.now();
  const parts = words.slice(words.indexOf('--') + 1);
  const line = readLine(shell, parts);
  const { io, env } = setting.context;
  const asking =
    words[1] === LATER
      ? { patience: () => PATIENCE_LATER }
      : {
          patience: () => Math.max(0, began + PATIENCE - performance.now()),
          askLater: () => askLater([shell, LATER, '--', ...parts], env),
        };
  const { answer, request } = await answered(line, tree, setting, asking);
  const typed = request?.place.typed ?? '';
  const prefix = request?.place.kind === 'value' ? request.place.prefix : '';
  const candidates = answer.candidates.filter(({ value }) => value.startsWith(typed) && isPrintable(value));
  const lines = candidates.map(({ value, about }) => {
    const written = shell === 'bash' ? writtenInBash(`${line.quote === '' ? prefix : ''}${value}`, line.quote) : value;
    const said = shortened(cell(about));
    return said === '' ? written : `${written}\t${said}`;
  });
  await io.data(`${[...lines, `:${directive(answer)}`].join('\n')}\n`);
}

async function answered(
  line: TypedLine,
  tree: Tree,
  { context, useFlags }: Setting,
  asking: Omit<Live, 'context'>,
): Promise<{ answer: Answer; request?: Request }> {
  let request: Request | undefined;
  try {
    request = await readRequest(tree, line.words, line.last, line.quote !== '');
    const typed = request;
    const answer = await answerTo(typed, () => {
      useFlags({ ...connectionOf(typed, context.env.HOME), quiet: true, noInput: true });
      return { ...asking, context };
    });
    return { answer, request };
  } catch {
    return request === undefined ? { answer: NOTHING } : { answer: NOTHING, request };
  }
}

/** Completes the same line in a process of its own, which keeps what the service answers for the next time that Tab is pressed. */
async function askLater(words: readonly string[], env: Environment): Promise<void> {
  const { spawn } = await import('node:child_process');
  const program = fileURLToPath(new URL('../bin/vagent.js', import.meta.url));
  const options = { env, detached: true, stdio: 'ignore', windowsHide: true } as const;
  const child = spawn(process.execPath, [program, 'complete', ...words], options);
  child.on('error', () => {});
  child.unref();
}

/** The flags that choose the service. Throws if one of them has a value that it cannot have. */
function connectionOf({ command, given }: Request, home: string | undefined): GlobalFlags {
  const isGlobal = new Set(globalOptions(command).map(({ long }) => long));
  const flags: Record<string, unknown> = {};
  for (const [option, values] of given) {
    if (!isGlobal.has(option.long)) continue;
    const text = (values.at(-1) ?? '').replace(/^~(?=\/)/, home ?? '~');
    const name = option.attributeName();
    flags[name] = option.required ? (option.parseArg ?? String)(text as never, undefined as never) : true;
  }
  return flags;
}

function directive({ candidates, paths, goesOn }: Answer): number {
  if (paths === 'folders') return FOLDERS;
  if (paths === 'files') return candidates.length === 0 ? 0 : NO_FILES;
  return NO_FILES + KEEP_ORDER + (goesOn ? NO_SPACE : 0);
}

/** Whether a value can be put on a command line as it is. */
function isPrintable(value: string): boolean {
  return cell(value) === value && !/[\r\n\t]/.test(value);
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_ABOUT ? text : `${characters.slice(0, LONGEST_ABOUT - 1).join('')}…`;
}

/** A value as bash must find it in its line; inside of a quote that is open, or outside of quotes. */
function writtenInBash(value: string, quote: TypedLine['quote']): string {
  if (quote === '"') return value.replaceAll(/[$`"\\]/g, String.raw`\$&`);
  if (quote === "'") return value.replaceAll("'", String.raw`'\''`);
  return value.replaceAll(/[^\w@%+=:,./\u0080-\uffff-]/g, String.raw`\$&`);
}
