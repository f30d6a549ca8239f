/** The columns of the call log. */
import { listFields } from '../../../contract.ts';
import { requireFields } from '../../../terminal/output.ts';

/** The columns of tables and tab-separated values. */
export const BRIEF_COLUMNS = [
  'call_id',
  'timestamp',
  'agent_id',
  'called_to',
  'call_from',
  'call_status',
  'call_duration',
  'call_outcome',
] as const;

/** The columns on a terminal, the most important first: in 80 characters, an operator sees how the latest calls went. */
export const SCREEN_COLUMNS = [
  'timestamp',
  'called_to',
  'call_status',
  'call_duration',
  'call_outcome',
  'call_id',
  'agent_id',
  'call_from',
] as const;
/** By importance: a number and how the call went count more than how long it took. */
export const IMPORTANCE = ['timestamp', 'called_to', 'call_status', 'call_outcome', 'call_duration'] as const;

/** The columns of `--fields`, if given. Throws UsageError for an unknown column. */
export function chooseColumns(fields: string[] | undefined): readonly string[] | undefined {
  requireFields(fields, listFields.calls);
  return fields;
}
