/** A command line as it stands in a shell while Tab is pressed: its words, and the one that is being typed. Pure. */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export interface TypedLine {
  /** The words before the one that is being typed, without their quotes. */
  words: string[];
  /** The one that is being typed, without quotes; empty after a space. */
  last: string;
  /** The quote that is still open in it, or nothing. */
  quote: '' | '"' | "'";
}

/**
 * Reads what a shell's completion function passes: the raw line, whole or split at spaces. Only fish splits it into words
 * itself, all but the last. Nothing is expanded: neither variables nor commands.
 */
export function readLine(shell: Shell, parts: readonly string[]): TypedLine {
  if (shell !== 'fish') return split(parts.join(' '), shell);
  const { words, last, quote } = split(parts.at(-1) ?? '', shell);
  return { words: [...parts.slice(0, -1), ...words], last, quote };
}

function split(text: string, shell: Shell): TypedLine {
  const escaping = shell === 'powershell' ? '`' : '\\';
  const words: string[] = [];
  let last = '';
  let isWord = false;
  let quote: TypedLine['quote'] = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    const next = text[at + 1];
    if (char === escaping && quote !== "'") {
      // In double quotes a backslash stands for itself before an ordinary character.
      if (quote === '"' && shell !== 'powershell' && next !== undefined && !'$`"\\'.includes(next)) last += char;
      last += next ?? '';
      isWord = true;
      at++;
    } else if (quote !== '') {
      if (char !== quote) last += char;
      else if (shell === 'powershell' && next === quote) last += text[++at];
      else quote = '';
    } else if (char === '"' || char === "'") {
      quote = char;
      isWord = true;
    } else if (/\s/.test(char)) {
      if (isWord) words.push(last);
      last = '';
      isWord = false;
    } else {
      last += char;
      isWord = true;
    }
  }
  return { words, last, quote };
}
