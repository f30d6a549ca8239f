/**
 * The whole register as lines of JSON, to be taken over by another machine: a line that says what it is, each request followed
 * by its contacts and their original rows, and a last line with counts and a hash of all bytes before it, by which a file that
 * was cut off or changed is recognised.
 */
import { createHash } from 'node:crypto';
import { masked, maskedLines } from '../../text/redact.ts';
import { isRefused, type Past } from '../history.ts';
import { writtenLine } from '../lines.ts';
import type { Register } from '../register.ts';

export const FORMAT = 1;

/** Everything that an export holds. */
export interface ExportCounts {
  requests: number;
  contacts: number;
  rows: number;
}

/** The lines that a request can be followed by are those of its contacts: nobody was called by the others. */
export function hasContacts(request: Past): boolean {
  const { sent } = request;
  return sent.operation === 'createCampaign' && sent.forgotten === undefined && !isRefused(request);
}

/** Characters that are masked and yielded together. */
const TOGETHER = 1 << 14;

/**
 * The text of the file, piece by piece; `redact` masks the key. Returns the counts. Throws FileErrors, also if a line of the
 * register is damaged or contacts cannot be read: what is exported is whole.
 */
export function* exportLines(register: Register, redact: (text: string) => string): Generator<string, ExportCounts> {
  const { requests, damage } = register.requests();
  if (damage !== undefined) throw damage;
  const counts = { requests: 0, contacts: 0, rows: 0 };
  const mask = (value: unknown) => masked(value, redact);
  const hash = createHash('sha256');
  let lines = `${JSON.stringify({ vagent_register: FORMAT })}\n`;
  for (const request of requests) {
    for (const line of linesOf(request, register, counts)) {
      lines += `${line}\n`;
      if (lines.length < TOGETHER) continue;
      const shown = maskedLines(lines, redact, mask);
      hash.update(shown);
      yield shown;
      lines = '';
    }
  }
  const shown = maskedLines(lines, redact, mask);
  const sha256 = hash.update(shown).digest('hex');
  yield `${shown}${maskedLines(`${JSON.stringify({ end: counts, sha256 })}\n`, redact, mask)}`;
  return counts;
}

function* linesOf(request: Past, register: Register, counts: ExportCounts): Generator<string, void> {
  const { sent } = request;
  counts.requests++;
  yield `{"request":${writtenLine(sent)}${endOf(request)}}`;
  if (!hasContacts(request)) return;
  for (const contact of register.eachContactOf(sent.entry)) {
    counts.contacts++;
    yield `{"contact":${JSON.stringify(contact)}}`;
  }
  const original = register.rowsOf(sent.entry);
  if (original === undefined) return;
  yield JSON.stringify({ columns: original.columns });
  for (const row of original.rows) {
    counts.rows++;
    yield `{"row":${JSON.stringify(row)}}`;
  }
}

function endOf({ sent, outcome, answer = {}, endedAt, clockAhead }: Past): string {
  if (outcome === undefined || endedAt === undefined) return '';
  const at = new Date(endedAt).toISOString();
  const ahead = clockAhead === undefined ? {} : { clock_ahead: clockAhead };
  return `,"ended":${writtenLine({ entry: sent.entry, event: 'ended', at, outcome, answer, ...ahead })}`;
}
