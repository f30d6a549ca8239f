/** The check of the register: whether it is sound, and which calls have an unknown outcome. */
import type { Context } from '../context.ts';
import { localTime } from '../text/time.ts';
import type { Check } from './check.ts';

/** Numbers that are listed; the count includes the others. */
const MAX_NAMED = 5;

export function registerCheck(context: Context): Check {
  return { name: 'register', what: 'register', needs: ['state_folder', 'profile'], look: () => register(context) };
}

async function register(context: Context): Promise<string> {
  const opened = await context.register.open();
  const state = await context.state();
  await state.requireWritable?.();
  const { location } = state;
  const where = location === undefined ? '' : `, shared through the database at ${location}`;
  const { ledger, damage } = opened.survey();
  if (damage !== undefined) throw damage;
  opened.requireSoundImport();
  const { lastEntry, unknownCalls } = ledger;
  if (lastEntry === 0) return `nothing was sent to a real service yet${where}`;
  const entries = lastEntry === 1 ? '1 entry' : `${lastEntry} entries`;
  if (unknownCalls.length === 0) return `${entries}, sound${where}`;
  const named = unknownCalls
    .slice(-MAX_NAMED)
    .map(({ request, at, service }) => `${request.called_to} (${localTime(Date.parse(at))}, ${service})`);
  const calls = unknownCalls.length === 1 ? '1 call' : `${unknownCalls.length} calls`;
  const others = unknownCalls.length > MAX_NAMED ? ' and others' : '';
  return `${entries}, sound${where}; ${calls} of unknown outcome: ${named.join(', ')}${others}`;
}
