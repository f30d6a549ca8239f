/** Finds which phones of a request were sent before, whatever the texts, the order and the file. */
import { VagentError } from '../errors.ts';
import { phoneKeyOfDigits } from '../text/phone.ts';
import type { Called } from './called.ts';
import { byTime, type Earlier } from './ledger.ts';

/** Phones of a request, with the campaign or the call of unknown outcome in which they were last sent. */
export interface Repeat {
  before: Earlier;
  count: number;
  /** The first of these phones, as digits, ascending. */
  first: number[];
}

export interface Repeats {
  /** The newest first. */
  repeats: Repeat[];
  /** Campaigns whose called phones can no longer be read. */
  lost: { before: Earlier; error: VagentError }[];
  /** Where the phone of an E.164 number of the request was last sent. */
  lastOf(e164: string): Repeat | undefined;
}

/** Phones named for each earlier request. */
const NAMED = 3;

/** The phones of one request, compared with earlier ones. Each campaign is read once, however often this is used. */
export class Callees {
  readonly called: Called;
  /** By entry: for each phone, whether the campaign called it; undefined if it called none of them. */
  readonly #marks = new Map<number, Uint8Array | undefined>();

  constructor(called: Called) {
    this.called = called;
  }

  /**
   * Where each phone was last sent, among `earlier`. `phonesOf` reads the phones that a campaign called, and throws a
   * VagentError if that is no longer possible.
   */
  repeatsOf(earlier: readonly Earlier[], phonesOf: (campaign: Earlier) => Float64Array): Repeats {
    const { phones } = this.called;
    const repeats: Repeat[] = [];
    const lost: Repeats['lost'] = [];
    /** For each phone, the position of its repeat, from 1. */
    const owners = new Uint32Array(phones.length);
    for (const before of [...earlier].sort(byTime).reverse()) {
      try {
        const marks = this.#marksOf(before, phonesOf);
        if (marks === undefined) continue;
        const repeat = take(phones, marks, owners, repeats.length + 1);
        if (repeat.count > 0) repeats.push({ before, ...repeat });
      } catch (error) {
        if (!(error instanceof VagentError)) throw error;
        lost.push({ before, error });
      }
    }
    const lastOf = (e164: string) => {
      const at = positionOf(phones, phoneKeyOfDigits(Number(e164.slice(1))));
      return repeats[(owners[at] ?? 0) - 1];
    };
    return { repeats, lost, lastOf };
  }

  #marksOf(before: Earlier, phonesOf: (campaign: Earlier) => Float64Array): Uint8Array | undefined {
    const { phones, numbersSha256 } = this.called;
    const { sent } = before;
    const { entry } = sent;
    if (sent.operation === 'createCampaign' && sent.contacts.numbers_sha256 === numbersSha256)
      return new Uint8Array(phones.length).fill(1);
    if (!this.#marks.has(entry)) this.#marks.set(entry, marksOf(phones, phonesOf(before)));
    return this.#marks.get(entry);
  }
}

/** For each of `phones`, whether it is among `others`; both are ascending. Undefined if none is. */
function marksOf(phones: Float64Array, others: Float64Array): Uint8Array | undefined {
  let marks: Uint8Array | undefined;
  let other = 0;
  for (let at = 0; at < phones.length; at++) {
    const phone = phones[at] as number;
    while (other < others.length && (others[other] as number) < phone) other++;
    if (others[other] !== phone) continue;
    marks ??= new Uint8Array(phones.length);
    marks[at] = 1;
  }
  return marks;
}

/** Assigns the marked phones without an owner to `owner`. */
function take(phones: Float64Array, marks: Uint8Array, owners: Uint32Array, owner: number): Omit<Repeat, 'before'> {
  const first: number[] = [];
  let count = 0;
  for (let at = 0; at < phones.length; at++) {
    if (marks[at] === 0 || owners[at] !== 0) continue;
    owners[at] = owner;
    count++;
    if (first.length < NAMED) first.push(phones[at] as number);
  }
  return { count, first };
}

/** The index of a value in an ascending array, or -1. */
function positionOf(values: Float64Array, value: number): number {
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] as number) < value) from = middle + 1;
    else to = middle;
  }
  return values[from] === value ? from : -1;
}
