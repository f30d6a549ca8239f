/** Judges a history by the rules of its plans. It knows nothing of how plans are made. */
import type { History } from '../history.ts';
import { miscounted, overspent } from './counts.ts';
import { outsideHours } from './hours.ts';
import { idle } from './idle.ts';
import { calledBeside, calledByPlan } from './opted-out.ts';
import { tooOften } from './repeats.ts';
import { wronglySent } from './sending.ts';
import { type Breach, type Rule, viewOf } from './view.ts';

const JUDGES = [outsideHours, tooOften, wronglySent, calledByPlan, overspent, miscounted, idle];
/** Of one rule. */
const MOST = 10;

/** What must not be; none in a good world. */
export function judge(history: History): Breach[] {
  const view = viewOf(history);
  const breaches: Breach[] = history.misbehaved.map((text) => ({ rule: 'behaviour', text }));
  const counts = new Map<Rule, number>();
  const keep = (found: Iterable<Breach>) => {
    for (const breach of found) {
      const count = (counts.get(breach.rule) ?? 0) + 1;
      counts.set(breach.rule, count);
      if (count <= MOST) breaches.push(breach);
    }
  };
  for (const plan of history.plans.keys()) for (const find of JUDGES) keep(find(view, plan));
  keep(calledBeside(view));
  return breaches;
}
