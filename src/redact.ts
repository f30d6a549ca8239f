/** The one place that keeps keys out of what is shown: everything written to a stream or a file passes a Redactor. */

const MASK = '<API_KEY>';
/** Shorter secrets would mask ordinary text; no real key is that short. */
const SHORTEST_SECRET = 6;

export class Redactor {
  readonly #shapes = new Set<string>();

  /** From now on `secret` is masked wherever it shows, also percent-encoded, JSON-escaped or in base64. */
  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return;
    const shapes = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ '': secret }).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      Buffer.from(secret).toString('base64url'),
    ];
    for (const shape of shapes) this.#shapes.add(shape);
  }

  redact(text: string): string {
    let shown = text;
    for (const shape of this.#shapes) if (shown.includes(shape)) shown = shown.replaceAll(shape, MASK);
    return shown;
  }
}
