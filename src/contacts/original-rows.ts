/** Collects the original rows of the contacts while their file is checked. */
import type { Contact } from '../contract.ts';
import { type FileForm, KeptRows } from '../text/kept-rows.ts';
import type { AcceptedRows } from './check-file.ts';

/** The only column of a file without a header. */
const HEADERLESS = ['phone_number'];

export class OriginalRows implements AcceptedRows {
  rows = new KeptRows(HEADERLESS);

  begin(header: readonly string[] | undefined, form: FileForm | undefined): void {
    this.rows = new KeptRows(header ?? HEADERLESS, form);
  }

  row(cells: readonly string[]): void {
    this.rows.add(cells);
  }

  /** Leaves out the rows of contacts that are not among `left`, which are some of `all` in the same order. */
  keepThoseOf(left: readonly Contact[], all: readonly Contact[]): void {
    let next = 0;
    this.rows = this.rows.only((row) => {
      const isLeft = all[row] === left[next];
      if (isLeft) next++;
      return isLeft;
    });
  }
}
