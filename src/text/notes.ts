/** What is said to whoever watches the work, and what is hidden from them. */
export interface Notes {
  note(text: string): void;
  warn(text: string): void;
  /** Masks the keys in a text that is kept. */
  redact(text: string): string;
  /** Work that may take long, in words such as `Reading calls`. */
  progress(doing: string): Progress;
}

export interface Progress {
  /** Cheap enough to be called for every item. `share` is how much is done, from 0 to 1, if there is no total to tell. */
  at(done: number, total?: number, share?: number): void;
  end(): void;
}
