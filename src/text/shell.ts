/** A text as one word of a shell: of POSIX, or of bash and zsh if it has line breaks or other control characters. */
export function shellWord(text: string): string {
  if (/^[\w@%+:,./-]+$/.test(text)) return text;
  if (text.search(CONTROLS) === -1) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${text.replace(/['\\]/g, String.raw`\$&`).replace(CONTROLS, escaped)}'`;
}

/** Those that a terminal would act on, and line breaks, after which another command would begin. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that are replaced.
const CONTROLS = /[\0-\x1f\x7f-\x9f]/g;

const NAMED: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\t': String.raw`\t`, '\r': String.raw`\r` };

/** By its name, or the bytes of its UTF-8. */
function escaped(character: string): string {
  return (
    NAMED[character] ?? [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  );
}
