/**
 * Where the contacts of a campaign or a plan stand, counted from the raw log and the contacts alone, by the words of
 * `vagent help states`. It knows nothing of how vagent counts.
 */
import { HOUR } from '../planned-service.ts';
import { type Facts, MACHINES, type Sent } from './world.ts';

const DAY = 24 * HOUR;
/** Around the moment at which nobody waits any more for a call that was never shown. */
const UNSURE = 3 * HOUR;

export interface Row {
  number: string;
  /** Undefined at the few moments at which two are right. */
  state: string | undefined;
  last: string | null;
}

interface Call {
  result: string;
  last: string;
}

export function callsOf({ from }: Pick<Sent, 'from'>, { log }: Facts, number?: string): Call[] {
  return log
    .filter((call) => call.call_from === from && (number === undefined || call.called_to === number))
    .map(({ call_status, call_outcome }) => {
      const isMachine = call_status === 'completed' && MACHINES.includes(String(call_outcome));
      const last = isMachine ? 'voicemail' : String(call_status);
      return { result: last === 'completed' ? 'reached' : last, last };
    });
}

/** In the order of the numbers; which one of two rows with the same number is which does not matter. */
export function rowsOf(sent: Sent, facts: Facts): Row[] {
  const all = sent.numbers;
  const counted = sent.noun === 'plan' ? planRows : campaignRows;
  return [...new Set(all)].flatMap((number) => {
    const times = all.filter((one) => one === number).length;
    return counted(sent, facts, number, times).map((row) => ({ number, ...row }));
  });
}

type Counted = Omit<Row, 'number'>[];

function campaignRows(sent: Sent, facts: Facts, number: string, times: number): Counted {
  const calls = callsOf(sent, facts, number);
  const longest = (sent.numbers.length * sent.attempts * HOUR) / sent.callsPerHour;
  const delays = (sent.attempts - 1) * (sent.retryDelay.busy ?? 0);
  const isOver = sent.createdAt + 2 * (longest + delays) + 3 * DAY < facts.now;
  const mayBeOver = sent.createdAt + longest + delays < facts.now;
  const open = (state: string, over: string) => (isOver ? over : mayBeOver ? undefined : state);
  if (times > 1) return spread(times, calls, () => ({ state: open('waiting', 'no_result'), last: null }), open);
  const last = calls.at(-1)?.last ?? null;
  if (calls.some(({ result }) => result === 'reached')) return [{ state: 'reached', last }];
  if (calls.some(({ result }) => result === 'voicemail')) return [{ state: 'not_reached', last }];
  if (last === null) return [{ state: open('waiting', 'no_result'), last }];
  if (last === 'in_progress') return [{ state: open('calling', 'no_result'), last }];
  return [{ state: calls.length < sent.attempts ? open('waiting', 'not_reached') : 'not_reached', last }];
}

/** Of several rows with one number, each has a call at most. */
function spread(
  times: number,
  calls: readonly Call[],
  rest: (at: number) => Counted[number],
  open: (state: string, over: string) => string | undefined,
): Counted {
  return Array.from({ length: times }, (_none, at) => {
    const call = calls[at];
    if (call === undefined) return rest(at - calls.length);
    if (call.result === 'in_progress') return { state: open('calling', 'no_result'), last: call.last };
    return { state: call.result === 'reached' ? 'reached' : 'not_reached', last: call.last };
  });
}

function planRows(sent: Sent, facts: Facts, number: string, times: number): Counted {
  const calls = callsOf(sent, facts, number).filter(({ result }) => result !== 'in_progress');
  const waves = facts.submitted.filter(({ from, numbers }) => from === sent.from && numbers.includes(number));
  const silentSince = Math.max(...waves.map(({ end }) => end)) + DAY;
  const silent =
    Math.abs(facts.now - silentSince) < UNSURE ? undefined : silentSince < facts.now ? 'no_result' : 'calling';
  const isOut = (sent.excludedLater.get(number) ?? Number.POSITIVE_INFINITY) < sent.end;
  const open = isOut ? 'excluded' : sent.end <= facts.now ? 'not_called' : 'waiting';
  if (times > 1)
    return spread(
      times,
      calls,
      (at) => ({ state: at < waves.length - calls.length ? silent : open, last: null }),
      (state) => state,
    );
  const last = calls.at(-1)?.last ?? null;
  if (calls.some(({ result }) => result === 'reached')) return [{ state: 'reached', last }];
  if (waves.length > calls.length) return [{ state: silent, last }];
  const isLast = calls.length >= sent.attempts || (last !== null && !Object.hasOwn(sent.retryDelay, last));
  return [{ state: isLast ? 'not_reached' : open, last }];
}
