/** What the environment says about the terminal. */

export interface TerminalFacts {
  /** Undefined where the environment says nothing: then a terminal has colours. */
  wantsColor: boolean | undefined;
  /** Whether the terminal may lack all characters but those of ASCII. */
  isAscii: boolean;
  /** Whether the terminal can move the cursor, to show something anew in its place. */
  canRepaint: boolean;
  /** What shows texts that are longer than the screen; undefined for nothing. */
  pager: Pager | undefined;
}

export interface Pager {
  /** For a shell. */
  command: string;
  env: Environment;
}

export type Environment = Record<string, string | undefined>;

/** Of a terminal, in characters. */
export interface Size {
  columns: number;
  rows: number;
}

/** As git calls it: ends by itself if the text fits, shows colours, and leaves the text on the screen. */
const LESS = 'FRX';

export function terminalFacts(env: Environment): TerminalFacts {
  const isDumb = env.TERM === 'dumb';
  const command = env.PAGER ?? 'less';
  const isPaged = !isDumb && !env.CI && command.trim() !== '' && command.trim() !== 'cat';
  return {
    wantsColor: wantsColor(env),
    isAscii: isAscii(env),
    canRepaint: !isDumb && !env.CI,
    pager: isPaged ? { command, env: { ...env, LESS: env.LESS ?? LESS } } : undefined,
  };
}

/** The first that is set decides. */
function wantsColor(env: Environment): boolean | undefined {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true;
  return env.CLICOLOR === '0' || env.TERM === 'dumb' ? false : undefined;
}

/**
 * A locale that is named and is not UTF-8. None is named in most containers and over many connections, whose terminals show UTF-8
 * nevertheless.
 */
function isAscii(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

const ASCII: Record<string, string> = {
  ...{ '…': '...', '→': '>', '←': '<', '✓': '+', '✗': 'x', '–': '-', '—': '-', '·': '.', '×': 'x', '❯': '>' },
  ...{ '░': '.', '▒': ':', '▓': '*', '█': '#', '━': '=', '╌': '-' },
  ...{ '▏': ' ', '▎': ' ', '▍': ' ', '▌': '#', '▋': '#', '▊': '#', '▉': '#' },
  ...{ '▁': '_', '▂': '_', '▃': '.', '▄': '-', '▅': '=', '▆': '+', '▇': '*' },
};
const OTHERS = new RegExp(`[${Object.keys(ASCII).join('')}]`, 'gu');

/** vagent's own signs in ASCII; all but `…` keep their width. What services and files say stays as it is. */
export function inAscii(text: string): string {
  return text.replace(OTHERS, (sign) => ASCII[sign] ?? sign);
}
