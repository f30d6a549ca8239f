/** What a plan spends, by its own price: every started minute of every call that was answered. */
import { type Breach, planAt, type View } from './view.ts';

export function centsOf(view: View, plan: number): number {
  const price = planAt(view, plan).rules.budget?.centsPerMinute ?? 0;
  return view.dialsOf(plan).reduce((sum, { dial }) => sum + minutesOf(dial) * price, 0);
}

function minutesOf({ status, seconds }: { status: string; seconds: number }): number {
  return status === 'completed' ? Math.ceil(seconds / 60) : 0;
}

/**
 * Never beyond the budget where no call is longer than was said, whenever each was seen; otherwise by one wave at most, as where
 * nothing tells the plan's own calls from others.
 */
export function* overspent(view: View, plan: number): Generator<Breach> {
  const { budget } = planAt(view, plan).rules;
  if (budget === undefined) return;
  const dials = view.dialsOf(plan);
  const spent = centsOf(view, plan);
  const longest = dials.reduce((most, { dial }) => Math.max(most, minutesOf(dial)), budget.longest);
  const isForeseen = longest <= budget.longest && view.rivals(plan).length === 0;
  const largest = view.wavesOf(plan).reduce((most, { contacts }) => Math.max(most, contacts.length), 0);
  const allowed = budget.cents + (isForeseen ? 0 : largest * longest * budget.centsPerMinute);
  if (spent > allowed) yield { rule: 'budget', text: `plan ${plan}: ${spent} spent, at most ${allowed}` };
}
