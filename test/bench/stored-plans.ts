/** `plan create` of a million contacts beside `contacts check` of the same file, and what a plan of that size costs afterwards. */
import { BIN, CONTACTS, compare, measureIn } from './workplace.ts';

const ROUNDS = 5;
/** The last one that is made. */
const PLAN_ID = String(ROUNDS);
const PLAN = ['plan', 'create', '--name', 'Big', '--agent', '1', '--from', '+14155550100', '--window', '09:00-20:00'];

await measureIn((place) => {
  const contacts = place.contacts();
  compare(`plan create of ${CONTACTS} contacts`, ROUNDS, {
    'contacts check': () => place.vagent('contacts', 'check', contacts, '--json'),
    'plan create (at most 3×)': (round) => {
      // The same people in two plans would be refused.
      for (const verb of round > 0 ? ['cancel', 'forget'] : []) place.vagent('plan', verb, String(round), '--yes');
      return place.vagent(...PLAN, '--contacts', contacts);
    },
  });
  compare('what it costs afterwards', ROUNDS, {
    'vagent --version': () => place.node([BIN, '--version']),
    'plan status of it (at most 0.5 s more)': () => place.vagent('plan', 'status', PLAN_ID, '--json'),
    'plan stop and resume': (round) => place.vagent('plan', round % 2 === 0 ? 'stop' : 'resume', PLAN_ID),
    'plan list with it': () => place.vagent('plan', 'list'),
  });
});
