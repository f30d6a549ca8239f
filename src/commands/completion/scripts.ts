/**
 * The scripts that teach a shell to complete vagent's command lines: those of @bomb.sh/tab, mended where they would run commands
 * that stand in a line when Tab is pressed, or lose part of it.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables look like those of a template
import type { Shell } from './words.ts';

/** A text of the library's script, and what stands there instead. */
type Mend = readonly [text: string, instead: string];

const MENDS: Readonly<Record<Exclude<Shell, 'bash'>, readonly Mend[]>> = {
  zsh: [
    ['="vagent complete -- ', '="vagent complete zsh -- '],
    // Words stay whole: they were split at every space, and an empty one was lost.
    ['words=( "${=words[1,CURRENT]}" )', 'words=( "${(@)words[1,CURRENT]}" )'],
    // What precedes the = is evaluated later, so it must be a flag and nothing else.
    [`=~ '-.*='`, `=~ '^-[-a-zA-Z]*='`],
    // Of a value with a colon, only what precedes it was taken.
    ['comp=${comp//:/\\:}', 'comp=${comp//:/\\\\:}'],
    // zsh quotes values itself, unless it is told not to.
    ['completions -Q ', 'completions '],
  ],
  fish: [['(vagent complete -- ', '(vagent complete fish -- ']],
  powershell: [
    [`"& vagent complete '--' `, `"& vagent complete powershell '--' `],
    // To PowerShell, typographic quotes are quotes as well: a text ended there, and what followed was run.
    [`-replace "'", "''"`, `-replace "['\\u2018-\\u201b]", '$0$0'`],
  ],
};

/** Throws if a script of the library is no longer the one that is mended here. */
export async function scriptFor(shell: Shell): Promise<string> {
  if (shell === 'bash') return bashScript();
  const { script } = await import('@bomb.sh/tab');
  let text = printed(() => script(shell, 'vagent', 'vagent'));
  for (const [from, to] of MENDS[shell]) {
    if (text.split(from).length !== 2) throw new Error(`the script for ${shell} does not have once: ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/**
 * A script of our own. The library's needs the package bash-completion, evaluates the line and the values, cannot be loaded twice,
 * and completes neither `--flag=` nor values with spaces. The build copies it beside the program.
 */
async function bashScript(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(new URL('vagent.bash', import.meta.url), 'utf8');
}

/** What the library prints. */
function printed(print: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string) => lines.push(line);
  try {
    print();
  } finally {
    console.log = log;
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
