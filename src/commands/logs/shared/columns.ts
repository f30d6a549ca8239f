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

/** The columns of `--fields`, if given. Throws UsageError for an unknown column. */
export function chooseColumns(fields: string[] | undefined): readonly string[] | undefined {
  requireFields(fields, listFields.calls);
  return fields;
}
