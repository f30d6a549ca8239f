/** Text inside HTML. */

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function html(text: string): string {
  return plain(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** One line without control characters, some of which are not allowed in HTML. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
