/** Judges a history by the rules of its plans. It knows nothing of how plans are made. */
import type { History } from '../history.ts';
import { miscounted } from './counts.ts';
import { outsideHours } from './hours.ts';
import { idle } from './idle.ts';
import { overspent } from './money.ts';
import { tooOften } from './repeats.ts';
import { wronglySent } from './sending.ts';
import { type Breach, type Rule, viewOf } from './view.ts';

const JUDGES = [outsideHours, tooOften, wronglySent, overspent, miscounted, idle];
/** Of one rule. */
const MOST = 10;

/** What must not be; none in a good world. */
export function judge(history: History): Breach[] {
  const view = viewOf(history);
  const breaches: Breach[] = history.misbehaved.map((text) => ({ rule: 'behaviour', text }));
  const counts = new Map<Rule, number>();
  for (const plan of history.plans.keys()) {
    for (const find of JUDGES) {
      for (const breach of find(view, plan)) {
        const count = (counts.get(breach.rule) ?? 0) + 1;
        counts.set(breach.rule, count);
        if (count <= MOST) breaches.push(breach);
      }
    }
  }
  return breaches;
}
