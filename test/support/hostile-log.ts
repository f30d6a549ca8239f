/** A call log behind HTTP that pages as badly as real services do; each row of a table says in which way. */
import { type Answer, sendJson } from './http.ts';

export interface LogCall {
  call_id: string;
  [field: string]: unknown;
}

/** What a page of get-call-logs holds besides `success`; a field that is undefined is left out of the answer. */
export interface LogPage {
  calls: LogCall[];
  total?: unknown;
  limit?: unknown;
  offset?: unknown;
  [field: string]: unknown;
}

export interface PageRequest {
  /** The first request is number 1. */
  number: number;
  limit: number;
  offset: number;
}

export interface LogBehaviour {
  /** What the log holds at the start, in the service's order. */
  calls: readonly LogCall[];
  /** Calls in a page at most, whatever is asked for; 10 where nothing is said. */
  cap?: number | ((request: PageRequest) => number);
  /** What happens to the log before a page is read from it. */
  before?: (request: PageRequest, log: LogCall[]) => void;
  /** What is sent in place of parts of the honest page. */
  page?: (request: PageRequest, honest: LogPage, log: readonly LogCall[]) => Partial<LogPage>;
}

/** Far more requests than any row needs: a reader that comes so far will never end by itself. */
export const ENDLESS = 60;

/** The pages of such a log, one after the other; undefined for a request too many. */
export function hostilePages({ calls, cap = 10, before, page }: LogBehaviour, most = ENDLESS) {
  const log = [...calls];
  let number = 0;
  return ({ limit, offset }: { limit: number; offset: number }): object | undefined => {
    number += 1;
    if (number >= most) return undefined;
    const request = { number, limit, offset };
    before?.(request, log);
    const size = Math.min(limit, typeof cap === 'number' ? cap : cap(request));
    const shown = log.slice(offset, offset + size);
    const honest = { calls: shown, total: log.length, limit: shown.length, offset };
    return { success: true, ...honest, ...page?.(request, honest, log) };
  };
}

export function hostileLog(behaviour: LogBehaviour): Answer {
  const pages = hostilePages(behaviour);
  return ({ query }, response) => {
    const page = pages({ limit: Number(query.get('limit') ?? 100), offset: Number(query.get('offset') ?? 0) });
    if (page === undefined) sendJson(response, 500, { message: 'You have asked often enough.' });
    else sendJson(response, 200, page);
  };
}

/** Calls numbered from 1, every field as documented. */
export function someCalls(count: number, prefix = 'call'): LogCall[] {
  return Array.from({ length: count }, (_none, at) => aCall({ call_id: `${prefix}_${at + 1}` }));
}

export function aCall(fields: Partial<LogCall> = {}): LogCall {
  return {
    call_id: 'call_1',
    agent_id: 3,
    called_to: '+14155550123',
    call_from: '+14155550100',
    call_duration: 42,
    call_status: 'completed',
    call_outcome: 'lead_qualified',
    timestamp: '2026-11-20T09:00:00Z',
    transcript: 'Agent: Hello.',
    recording_url: 'https://recordings.test/1.mp3',
    ...fields,
  };
}

/** The calls of a text of NDJSON. */
export function linesOf(text: string): LogCall[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogCall);
}

/** Texts that a careless writer or reader of CSV breaks. */
export const TRICKY = [
  'Agent: "Hello," she said, "is this Ana?"',
  'line one\nline two\n\nline four',
  'line one\r\nline two\r\n',
  'say ""\r\ncall_0,1,2,3,4,5,6,7,8,9',
  'a lone\rcarriage return',
  ...['"', '""', ',', '\n', ' spaces at both ends ', 'tab\there', '-1', '007', ''],
  'emoji 👩🏽‍💻📞, umlauts ÄÖÜß, 漢字, العربية',
  '\ufeffbegins with a byte order mark',
  'paragraph\u2028separator',
  'long '.repeat(100_000),
];
