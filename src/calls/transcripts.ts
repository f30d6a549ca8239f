/** Keeps transcripts on disk until it is known which of them are wanted, so that they need not fit into memory. */
import type { CallLogEntry } from '../contract.ts';
import { systemFiles } from '../storage/files/file-system.ts';
import { KeptTexts, type TextPlace, temporaryFolder } from '../storage/files/kept-texts.ts';
import { plainText } from '../text/csv.ts';
import { markOf } from './paging/identity.ts';

export class Transcripts {
  readonly #texts: KeptTexts;
  readonly #folder: ReturnType<typeof temporaryFolder> | undefined;
  /** By the mark of the entry. */
  readonly #places = new Map<string, TextPlace>();

  /** `beside`: the path of a file that is being written; without one, they are kept in a folder of the system's. */
  constructor(beside: string | undefined) {
    this.#folder = beside === undefined ? temporaryFolder() : undefined;
    this.#texts = new KeptTexts(systemFiles, this.#folder?.file('transcripts') ?? `${beside}.transcripts`);
  }

  /** The last one that is kept of an entry counts. */
  keep(call: CallLogEntry): void {
    const text = plainText(call.transcript);
    if (text === '') this.#places.delete(markOf(call));
    else this.#places.set(markOf(call), this.#texts.add(text));
  }

  /** Null if there is none. Throws system errors. */
  of(mark: string | undefined): string | null {
    const place = this.#places.get(mark ?? '');
    return place === undefined ? null : this.#texts.at(place);
  }

  remove(): void {
    this.#texts.remove();
    this.#folder?.remove();
  }
}
