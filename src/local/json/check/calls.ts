/** Checks the call log: every segment has what the root commits, and every call is in its place. */
import * as z from 'zod/mini';
import { CALL_STATUSES, documentedCall } from '../../../contract.ts';
import { callId } from '../../../engine/policy.ts';
import { count } from '../../../engine/state.ts';
import { segmentPath } from '../call-log.ts';
import type { Root, Segment } from '../root.ts';
import { type Inspection, readValue, type SuspectFile } from './inspection.ts';

/** The lines of one segment, compared with what the root says about it. */
interface SegmentFindings extends SuspectFile {
  expected: Segment;
  lines: number;
  /** The root's record of the segment, recomputed from the sound lines. */
  found: Pick<Segment, 'first' | 'last' | 'by_agent'>;
}

/** An entry as the engine writes it, with all fields by which the log is ordered and counted. */
const placedCall = z.strictObject({
  ...documentedCall.shape,
  call_id: z.string().check(z.regex(/^call_(\d{1,15}_)?\d{10,15}$/)),
  timestamp: z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  agent_id: count,
  call_duration: count,
  call_status: z.enum(CALL_STATUSES),
});
type PlacedCall = z.output<typeof placedCall>;

interface Position {
  /** The number in the call_id. */
  number: number;
  /** Milliseconds since the epoch. */
  instant: number;
}

interface Candidate extends Position {
  segment: SegmentFindings;
  call: PlacedCall;
  line: number;
}

/** Returns how many calls are sound. */
export async function checkCalls(inspection: Inspection, root: Root): Promise<number> {
  let calls = 0;
  const settle = inOrder(
    ({ segment, call }) => {
      calls++;
      add(segment.found, call);
    },
    ({ segment, line }) => inspection.brokenLine(segment, line, 'is out of order by its call_id or timestamp'),
  );

  const total = root.segments.reduce((sum, { count }) => sum + count, 0);
  const segments: SegmentFindings[] = [];
  let done = 0;
  for (const expected of root.segments) {
    const segment = unread(inspection, expected);
    segments.push(segment);
    for (const line of inspection.linesOf(segment.name, expected.bytes)) {
      segment.lines++;
      const { value: call, damage } = readValue(line, placedCall, 'call log entry');
      const position = call === undefined ? undefined : positionOf(call);
      const wrong = damage ?? (call && position && impossibility(call, position, root));
      if (wrong !== undefined) inspection.brokenLine(segment, line.number, wrong);
      else if (call !== undefined && position !== undefined) {
        settle({ segment, call, line: line.number, ...position });
      }
      inspection.options.onCall(++done, total);
      const rest = inspection.turn();
      if (rest !== undefined) await rest;
    }
  }
  settle(undefined);
  for (const segment of segments) compare(inspection, segment);
  return calls;
}

function unread(inspection: Inspection, expected: Segment): SegmentFindings {
  const file = inspection.suspectFile(segmentPath('', expected.seq), expected.bytes);
  return { ...file, expected, lines: 0, found: { first: '', last: '', by_agent: {} } };
}

function positionOf({ call_id, timestamp }: PlacedCall): Position {
  return { number: Number(call_id.slice(call_id.lastIndexOf('_') + 1)), instant: Date.parse(timestamp) };
}

/** Why a call is impossible, wherever it is; undefined if it is not. */
function impossibility({ call_id }: PlacedCall, position: Position, { state }: Root): string | undefined {
  const isOwn = call_id === callId(state.organization.organization_id, position.number);
  if (!isOwn || position.number >= state.next_call_number) return 'has a call_id that was never given';
  return position.instant > state.clock.last ? "is later than the store's clock" : undefined;
}

function add(found: SegmentFindings['found'], { agent_id, timestamp }: PlacedCall): void {
  if (found.first === '') found.first = timestamp;
  found.last = timestamp;
  found.by_agent[agent_id] = (found.by_agent[agent_id] ?? 0) + 1;
}

/** Even if every line is sound, the root may contradict them. */
function compare(inspection: Inspection, { name, expected, found, lines, isWhole }: SegmentFindings): void {
  if (!isWhole) return;
  const agents = new Set([...Object.keys(expected.by_agent), ...Object.keys(found.by_agent)]);
  const miscounted = [...agents].filter((id) => (expected.by_agent[id] ?? 0) !== (found.by_agent[id] ?? 0));
  if (lines !== expected.count) {
    inspection.problem(name, null, `holds ${lines} calls, but ${expected.count} were committed`);
  } else if (miscounted.length > 0) {
    inspection.problem(name, null, `differs from the root in the number of calls of agent ${miscounted.join(', ')}`);
  } else if (found.first !== expected.first || found.last !== expected.last) {
    const range = `runs from ${found.first} to ${found.last}`;
    inspection.problem(name, null, `${range}, but the root says ${expected.first} to ${expected.last}`);
  }
}

/**
 * Decides which calls of the log are in order: call_ids rise, and timestamps never fall. If two lines contradict each other,
 * the one that agrees with neither neighbour is refused, so that one wrong digit is no damage of all the calls after it. A call
 * is kept or refused when the next one is known, or that there is none.
 */
function inOrder(keep: (call: Candidate) => void, refuse: (call: Candidate) => void) {
  let kept: Position = { number: 0, instant: Number.NEGATIVE_INFINITY };
  let pending: Candidate | undefined;
  return (next: Candidate | undefined) => {
    const call = pending;
    pending = next;
    if (call === undefined) return;
    const isBehind = !follows(call, kept);
    const isAhead = next !== undefined && !follows(next, call) && follows(next, kept);
    if (isBehind || isAhead) return refuse(call);
    kept = call;
    keep(call);
  };
}

function follows(later: Position, earlier: Position): boolean {
  return later.number > earlier.number && later.instant >= earlier.instant;
}
