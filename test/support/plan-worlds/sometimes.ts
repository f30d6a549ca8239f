/** What must happen sometimes, or the worlds are too tame to show anything. */

import type { Dial } from './history.ts';
import { localTime, offsetOf } from './local-time.ts';
import { planAt, viewOf } from './oracle/view.ts';
import type { Played } from './stage.ts';
import { HOUR, type World } from './world.ts';

export const SOMETIMES = [
  ...['a wave withheld for a window', 'a wave withheld for a cap'],
  ...['an old opt-out in another request', 'a request beside to somebody who opted out'],
  ...['a retry across midnight', 'a retry across a change of clocks'],
  ...[
    'a budget stop',
    'a breaker stop',
    'a canary that waits',
    'an unknown wave found placed later',
    'nobody ever saw a call',
  ],
  ...[
    'a process killed',
    'a wave of a process that was killed',
    'a stop, and no wave after it',
    'the end of a plan left somebody',
  ],
  ...[
    'a refusal for want of money',
    'a refusal for haste',
    'a contact excluded',
    'a call beside in the log before a wave',
    'a wave withheld because the machine slept',
    'a wave by two clocks',
  ],
] as const;
export type Sometimes = (typeof SOMETIMES)[number];

/** What a world is made of, as far as worlds of one kind may hide what those of another show. */
export function facetsOf({ isLocal, crowd, plans, steps, late, pace, ahead }: World): string[] {
  const fault = (step: World['steps'][number]) => {
    if (!('fault' in step) || step.fault === undefined) return [];
    return [JSON.stringify(['kind' in step.fault ? { ...step.fault, at: 0 } : step.fault.on, isLocal])];
  };
  return [
    ...(isLocal ? ['local'] : [`late ${late.most}`, `pace ${pace}`, `ahead ${ahead}`]),
    ...(crowd > 0 ? ['a crowd'] : []),
    `${plans.length} plans`,
    ...steps.flatMap((step) => [`${step.do} ${isLocal}`, ...fault(step)]),
  ];
}

/** Later than a plan looks back for anything else. */
const OLD = 26 * HOUR;

export function happened({ history, waits, states, kills, transcript }: Played): Set<Sometimes> {
  const view = viewOf(history);
  const found = new Set<Sometimes>();
  const note = (what: Sometimes, isSo: boolean) => isSo && found.add(what);
  note('a wave withheld for a window', waits.has('window'));
  note(
    'a wave withheld for a cap',
    ['cap', 'gap', 'from_cap'].some((why) => waits.has(why)),
  );
  const halted = (state: string, word: RegExp) =>
    states.some((one) => one.state === state && word.test(JSON.stringify(one.reason)));
  note('a budget stop', halted('stopped', /budget/));
  note('a breaker stop', halted('stopped', /fail|breaker/));
  note(
    'a canary that waits',
    states.some(({ state }) => state === 'waiting'),
  );
  note('a process killed', kills > 0);
  note(
    'a wave withheld because the machine slept',
    transcript.some((line) => line.includes('wave_too_late')),
  );
  note(
    'a request beside to somebody who opted out',
    transcript.some((line) => /opted out of calls/.test(line)),
  );
  for (const plan of history.plans.keys()) {
    const last = history.looks.findLast((look) => look.plan === plan);
    const { rules, createdAt, rows } = planAt(view, plan);
    const isOld = ({ at, shownAt, outcome }: Dial) =>
      at < createdAt - OLD && shownAt <= createdAt && rules.optOut.includes(outcome);
    note(
      'an old opt-out in another request',
      rows.some(({ phone }) => view.dialsTo(phone).some(isOld)) && view.wavesOf(plan).length > 0,
    );
    for (const [at, call] of view.dialsOf(plan).entries()) {
      const before = view
        .dialsOf(plan)
        .slice(0, at)
        .findLast(({ row }) => row.key === call.row.key);
      for (const zone of before === undefined ? [] : call.row.zones) {
        const [then, now] = [before?.dial.at ?? 0, call.dial.at];
        note('a retry across midnight', localTime(then, zone).date !== localTime(now, zone).date);
        note('a retry across a change of clocks', offsetOf(then, zone) !== offsetOf(now, zone));
      }
    }
    for (const wave of view.wavesOf(plan)) {
      note('a wave by two clocks', Math.abs(history.ahead) > 60_000);
      const dials = wave.contacts.flatMap(({ key }) => view.dialOf(wave, key) ?? []);
      const isFound = wave.answer === 'unknown' && dials.length > 0 && last?.contacts.unseen === 0;
      note('an unknown wave found placed later', isFound);
      note('a wave of a process that was killed', isFound && wave.isOrphan === true);
      const isBeside = (phone: string) =>
        view.dialsTo(phone).some((dial) => view.postOf(dial).wave === undefined && dial.shownAt <= wave.at);
      note(
        'a call beside in the log before a wave',
        wave.contacts.some(({ phone }) => isBeside(phone)),
      );
    }
    note('nobody ever saw a call', (last?.contacts.unseen ?? 0) > 0);
    note('the end of a plan left somebody', (last?.contacts.left ?? 0) > 0);
    note('a contact excluded', (last?.contacts.excluded ?? 0) > 0);
    const refused = history.posts.filter(({ wave, answer }) => wave?.plan === plan && answer === 'refused');
    note(
      'a refusal for want of money',
      refused.some(({ status }) => status === 402),
    );
    note(
      'a refusal for haste',
      refused.some(({ status }) => status === 429),
    );
    note(
      'a stop, and no wave after it',
      history.told.some((one) => one.plan === plan && one.what === 'stopped'),
    );
  }
  return found;
}
