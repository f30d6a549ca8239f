/** The entries that were taken, a column for each thing that is kept of them: 100 bytes a call, and no object. */
import { Column } from '../../text/column.ts';
import { PackedTexts } from '../../text/packed-texts.ts';
import { TextIndex } from '../../text/text-index.ts';
import type { Echo } from './entry.ts';

/** What a service says of how a call ended; of a million entries few differ. */
export interface Label {
  status: string;
  outcome: string;
  isCompleted: boolean;
  isVoicemail: boolean;
}

export class EntryColumns {
  /** By what identifies them: the row of an entry is the number of its mark. Others that were read may be between them. */
  readonly marks = new TextIndex();
  /** As they were written, in milliseconds since the epoch. */
  readonly times = new Column(Float64Array);
  /** What those that name no zone are ahead of UTC by. */
  ahead = 0;
  readonly durations = new Column(Float64Array);
  readonly phones = new Column(Uint32Array);
  readonly flags = new Column(Uint8Array);
  /** Claims are counted from 1, because 0 means nobody. */
  readonly claims = new Column(Uint32Array);
  readonly attempts = new Column(Uint16Array);
  readonly #labels: Label[] = [];
  readonly #numbersOfLabels = new Map<string, number>();
  readonly #labelled = new Column(Uint32Array);
  readonly #texts = new PackedTexts();
  readonly #recordingUrls = new Column(Uint32Array);
  readonly #echoed = new TextIndex();
  readonly #identifiers = new Column(Uint32Array);
  readonly #campaignIds = new Column(Float64Array);

  labelOf(place: number): Label {
    return this.#labels[this.#labelled.at(place)] as Label;
  }

  setLabel(place: number, label: Label): void {
    const name = `${label.status.length} ${label.status}${label.outcome}`;
    let number = this.#numbersOfLabels.get(name);
    if (number === undefined) {
      number = this.#labels.push(label) - 1;
      this.#numbersOfLabels.set(name, number);
    }
    this.#labelled.set(place, number);
  }

  recordingUrlOf(place: number): string | undefined {
    const at = this.#recordingUrls.at(place);
    return at === 0 ? undefined : this.#texts.at(at - 1);
  }

  /** An empty one means that there is none. */
  setRecordingUrl(place: number, url: string): void {
    const standing = this.#recordingUrls.at(place);
    // Entries are read again and again while calls are made.
    if (standing !== 0 && url !== '' && this.#texts.replace(standing - 1, url)) return;
    this.#recordingUrls.set(place, url === '' ? 0 : this.#texts.add(url) + 1);
  }

  echoOf(place: number): Echo | undefined {
    const [identifier, campaignId] = [this.#identifiers.at(place), this.#campaignIds.at(place)];
    if (identifier === 0 && campaignId === 0) return undefined;
    return {
      identifier: identifier === 0 ? undefined : this.#echoed.textOf(identifier - 1),
      campaignId: campaignId || undefined,
    };
  }

  setEcho(place: number, echo: Echo | undefined): void {
    const { identifier, campaignId } = echo ?? {};
    this.#identifiers.set(place, identifier === undefined ? 0 : this.#echoed.add(identifier) + 1);
    this.#campaignIds.set(place, campaignId ?? 0);
  }
}
