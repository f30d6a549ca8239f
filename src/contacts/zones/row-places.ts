/** Where the contact of each row is: in the zone of its column if the row has one, otherwise where its number may be. */
import { canonicalZone } from '../../text/time.ts';
import { columnAt, unknownColumn } from '../header/columns.ts';
import type { Headed } from '../header/header.ts';
import { type CellValue, ROW_PROBLEMS, type RowProblem } from '../problems.ts';
import type { ZoneRules } from '../rules.ts';
import { type Whereabouts, whereabouts, whereaboutsOf } from './zones.ts';

export class RowPlaces {
  readonly #rules: ZoneRules;
  readonly #headers: readonly string[];
  readonly #column: number | undefined;
  /** By the text of a cell; undefined if it is no zone. */
  readonly #named = new Map<string, string | undefined>();
  readonly #accepted = new Map<Whereabouts, boolean>();

  /** Throws InputError `unknown_column`. `source` is the file's name. */
  constructor(rules: ZoneRules, { columns: { headers } }: Headed, source: string) {
    this.#rules = rules;
    this.#headers = headers;
    if (rules.column === undefined) return;
    this.#column = columnAt(headers, rules.column.column);
    if (this.#column !== undefined) return;
    throw unknownColumn(rules.column.name, rules.column.column, headers, source);
  }

  /** `phoneCell` is called only if there is a problem. */
  find(number: string, cells: readonly string[], line: number, phoneCell: () => CellValue): Whereabouts | RowProblem {
    const written = this.#column === undefined ? '' : (cells[this.#column] ?? '').trim();
    const named = written === '' ? undefined : this.#zoneNamed(written);
    const zoneCell = () => ({ line, column: this.#headers[this.#column as number] ?? '', value: written });
    if (written !== '' && named === undefined) return { ...zoneCell(), ...ROW_PROBLEMS.unknownZone(written) };
    const byNumber = whereaboutsOf(number);
    const place = named === undefined ? byNumber : whereabouts([named], byNumber.country);
    if (this.#accepts(place)) return place;
    const where = named === undefined ? phoneCell() : zoneCell();
    return {
      ...where,
      ...(place.zones.length === 0 ? ROW_PROBLEMS.nowhere(number) : ROW_PROBLEMS.noCommonHour(number, place.zones)),
    };
  }

  #zoneNamed(written: string): string | undefined {
    if (!this.#named.has(written)) this.#named.set(written, zoneNamed(written));
    return this.#named.get(written);
  }

  #accepts(place: Whereabouts): boolean {
    let accepted = this.#accepted.get(place);
    if (accepted === undefined) {
      accepted = this.#rules.accepts(place.zones, place.country ?? undefined);
      this.#accepted.set(place, accepted);
    }
    return accepted;
  }
}

function zoneNamed(written: string): string | undefined {
  try {
    return canonicalZone(written, '');
  } catch {
    return undefined;
  }
}
