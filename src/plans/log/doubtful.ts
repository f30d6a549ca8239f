/** Calls that may be a wave's or another request's of this machine, of which the log does not show all. */
import type { CalledByOthers } from '../events.ts';
import { type Busy, callersAt } from '../free-at.ts';
import type { LoadedPlan } from '../plan.ts';
import type { SeenCall } from '../settle.ts';
import type { ToldApart } from './whose.ts';

/**
 * The same with every call in doubt given to the others, unless somebody was reached: whose it was, the next one will show, and
 * until then nobody is called again. `told.others` are part of the plan already. `busy` is what else was sent.
 */
export function withoutDoubtful(loaded: LoadedPlan, { own }: ToldApart, busy: readonly Busy[]): ToldApart {
  const isUnsure = ({ isAmbiguous, status, isVoicemail }: SeenCall) =>
    isAmbiguous && (status !== 'completed' || isVoicemail);
  const unsure = own.filter(isUnsure);
  if (unsure.length === 0) return { own, others: [] };
  // What is certain is in the log already.
  const callers = callersAt(
    loaded,
    busy.filter(({ isCertain }) => !isCertain),
    new Set(unsure.map(({ row }) => loaded.roster.phoneOf(row))),
  );
  const isDoubtful = (call: SeenCall) => isUnsure(call) && callers(call.row, call.at).length > 0;
  const others = own.filter(isDoubtful).map(({ row, at, status }): CalledByOthers => {
    return { event: 'others', at, row, sent: status === 'completed' ? 'answered' : 'not_answered' };
  });
  return { own: own.filter((call) => !isDoubtful(call)), others };
}
