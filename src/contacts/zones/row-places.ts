/** Where the contact of each row is: in the zone of its column if the row has one, otherwise where its number may be. */
import { remembered } from '../../text/remembered.ts';
import { canonicalZone } from '../../text/time.ts';
import { columnAt, unknownColumn } from '../header/columns.ts';
import type { Headed } from '../header/header.ts';
import { ROW_PROBLEMS, type RowProblem } from '../problems.ts';
import type { Row } from '../read/rows.ts';
import type { ZoneRules } from '../rules.ts';
import { type Whereabouts, whereabouts, whereaboutsOf } from './zones.ts';

export type PlaceFinder = (number: string, row: Row) => Whereabouts | RowProblem;

/** Throws InputError `unknown_column`. `source` is the file's name. */
export function placeFinder(rules: ZoneRules, { columns: { headers, at } }: Headed, source: string): PlaceFinder {
  const column = rules.column && columnAt(headers, rules.column.column);
  if (rules.column !== undefined && column === undefined) {
    throw unknownColumn(rules.column.name, rules.column.column, headers, source);
  }
  const isAccepted = remembered(({ zones, country }: Whereabouts) => rules.accepts(zones, country ?? undefined));
  return (number, { cells, line }) => {
    const written = (cells[column ?? -1] ?? '').trim();
    const decides = written === '' ? (at.phone_number ?? 0) : (column as number);
    const cell = { line, column: headers[decides] ?? '', value: written || (cells[decides] ?? '') };
    const named = written === '' ? undefined : zoneNamed(written);
    if (written !== '' && named === undefined) return { ...cell, ...ROW_PROBLEMS.unknownZone(written) };
    const byNumber = whereaboutsOf(number);
    const place = named === undefined ? byNumber : whereabouts([named], byNumber.country);
    if (isAccepted(place)) return place;
    const isNowhere = place.zones.length === 0;
    return { ...cell, ...(isNowhere ? ROW_PROBLEMS.nowhere(number) : ROW_PROBLEMS.noCommonHour(number, place.zones)) };
  };
}

/** Undefined if it is no zone. */
const zoneNamed = remembered((written: string): string | undefined => {
  try {
    return canonicalZone(written, '');
  } catch {
    return undefined;
  }
});
