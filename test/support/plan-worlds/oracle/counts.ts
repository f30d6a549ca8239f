/**
 * What a plan says of itself: its counts add up at every look, nobody is lost at the end, and it knows what really happened. And
 * what it spends, by its own price: every started minute of every call that was answered.
 */
import { HOUR } from '../world.ts';
import { resultOf } from './repeats.ts';
import { type Breach, planAt, type View } from './view.ts';

const STATES = ['waiting', 'calling', 'reached', 'not_reached', 'no_result', 'excluded', 'not_called'];
const OPEN = ['waiting', 'calling'];

export function* miscounted(view: View, plan: number): Generator<Breach> {
  const { contacts: size } = planAt(view, plan);
  const looks = view.history.looks.filter((look) => look.plan === plan);
  for (const { contacts, at, attempts } of looks) {
    const when = `plan ${plan} at ${new Date(at).toISOString()}`;
    const strange = Object.keys(contacts).filter((state) => !STATES.includes(state));
    const sum = STATES.reduce((total, state) => total + (contacts[state] ?? Number.NaN), 0);
    if (strange.length > 0 || sum !== size) {
      yield { rule: 'counts', text: `${when}: ${JSON.stringify(contacts)} of ${size}` };
    }
    const own = view.dialsOf(plan).map(({ dial }) => dial);
    const taken = new Set([...own, ...view.likeOwn(plan), ...view.rivals(plan)]);
    const made = [...taken].filter((dial) => dial.at <= at).length;
    const sent = view.wavesOf(plan).reduce((total, wave) => total + wave.contacts.length, 0);
    if (attempts !== undefined && attempts > Math.max(made, sent))
      yield { rule: 'counts', text: `${when}: ${attempts} attempts, sent ${sent}` };
  }
  yield* accused(view, plan, looks);
  const last = looks.at(-1);
  if (last === undefined) return;
  if (OPEN.some((state) => last.contacts[state] !== 0)) {
    yield { rule: 'lost', text: `plan ${plan} is ${last.state}: ${JSON.stringify(last.contacts)}` };
  }
  yield* untrue(view, plan, last);
}

/** The service of a world calls nobody twice, and nobody of a refused wave: only calls that passed no register look like it. */
function* accused(view: View, plan: number, looks: View['history']['looks']): Generator<Breach> {
  // What another request made is known to be its call for a day: later nothing tells it from a second one.
  const isLate = view.rivals(plan).some(({ at, shownAt }) => shownAt - at >= 20 * HOUR);
  if (view.likeOwn(plan).length > 0 || isLate) return;
  const said = looks.find(({ reason }) => /called more than once|was refused, and calls/.test(String(reason)));
  if (said !== undefined) yield { rule: 'truth', text: `plan ${plan} accuses the service: ${said.reason}` };
}

/** Only where nobody remained without a result: what nobody saw, a plan cannot know. */
function* untrue(view: View, plan: number, last: View['history']['looks'][number]): Generator<Breach> {
  const dials = view.dialsOf(plan);
  const isSeen = last.contacts.no_result === 0 && dials.every(({ dial }) => dial.shownAt - dial.at < 20 * HOUR);
  const waves = view.wavesOf(plan);
  const isMade = waves.every((wave) => wave.contacts.every(({ key }) => view.dialOf(wave, key) !== undefined));
  if (!isSeen || !isMade || view.likeOwn(plan).length > 0 || view.rivals(plan).length > 0) return;
  const { budget } = planAt(view, plan).rules;
  if (last.attempts !== dials.length) {
    yield { rule: 'truth', text: `plan ${plan}: ${last.attempts} attempts, made ${dials.length}` };
  }
  const reached = new Set(dials.filter(({ dial }) => resultOf(dial) === 'reached').map(({ row }) => row.key)).size;
  const { optOut } = planAt(view, plan).rules;
  const refused = new Set(dials.filter(({ dial }) => optOut.includes(dial.outcome)).map(({ row }) => row.key)).size;
  const said = last.contacts.reached ?? 0;
  if (said > reached || said < reached - refused) {
    yield { rule: 'truth', text: `plan ${plan}: ${said} reached, really ${reached} (${refused} opted out)` };
  }
  const spent = budget === undefined ? null : centsOf(view, plan) / 100;
  if (last.spent !== undefined && last.spent !== spent) {
    yield { rule: 'truth', text: `plan ${plan}: ${last.spent} spent, really ${spent}` };
  }
}

function centsOf(view: View, plan: number): number {
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
  const most = Math.max(0, ...view.wavesOf(plan).map(({ seq }) => planAt(view, plan, seq).rules.budget?.cents ?? 0));
  const allowed = most + (isForeseen ? 0 : largest * longest * budget.centsPerMinute);
  if (spent > allowed) yield { rule: 'budget', text: `plan ${plan}: ${spent} spent, at most ${allowed}` };
}
