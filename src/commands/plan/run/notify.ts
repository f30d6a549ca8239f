/** Tells somebody who does not watch a plan of its moments, by a command of theirs or at an address. */
import { countsInWords } from '../../../cli/terminal/drawing.ts';
import { cell, toJsonLine } from '../../../cli/terminal/output.ts';
import type { Context } from '../../../context.ts';
import { InterruptedError, UnavailableError, VagentError } from '../../../errors.ts';
import type { PlanMoment } from '../../../plans/rules/plan.ts';
import { type Step, stepRecord } from '../../../plans/run/step.ts';
import { isoTime } from '../../../text/iso.ts';
import { SECOND } from '../../../text/units.ts';
import { readUrl } from '../../../text/url.ts';
import { isAddress, timerThatStays } from '../shared/timers.ts';
import { haltInWords } from './words.ts';

/** Milliseconds for each. */
const LIMIT = 30 * SECOND;

/** `target`: an address of the web, or a line for the shell. A failure is said, and changes nothing. */
export async function notify(
  moments: readonly PlanMoment[],
  step: Step,
  target: string,
  context: Context,
): Promise<void> {
  const { io } = context;
  for (const moment of moments) {
    const json = toJsonLine(io, await messageOf(moment, step, context));
    try {
      await (isAddress(target) ? toAddress(target, json, context) : toCommand(target, json, context));
    } catch (error) {
      if (!(error instanceof VagentError) || error instanceof InterruptedError) throw error;
      io.error(`Warning: --notify of ${moment.moment} of plan ${step.plan.plan_id} failed: ${error.message}`);
    }
  }
}

/** What is said: `text` for people, as chat services show it, and the rest for programs. */
async function messageOf(moment: PlanMoment, step: Step, context: Context) {
  const { plan, attempts, spent, now } = step;
  const { wave: _sent, ...record } = stepRecord(step);
  return {
    moment: moment.moment,
    text: `${plan.plan_name}: ${await inWords(moment, step, context)}`,
    at: isoTime(now),
    wave: moment.wave ?? null,
    plan_name: plan.plan_name,
    ...record,
    reason: moment.reason ?? record.reason,
    ...{ attempts, spent },
  };
}

async function inWords({ moment, wave, reason = '' }: PlanMoment, step: Step, context: Context): Promise<string> {
  const states = countsInWords(step.states);
  const { plan_id } = step.plan;
  const plan = `plan ${plan_id}`;
  if (moment === 'wave_ended') return `wave ${wave} of ${plan} is over; ${states}.`;
  if (moment === 'done' || moment === 'cancelled')
    return [`${plan} is ${moment}; ${states}.`, (await timerThatStays(plan_id, context)) ?? ''].join(' ').trimEnd();
  if (reason === step.reason) return haltInWords(step, context);
  return `${plan} ${moment === 'waiting' ? 'waited for a look' : 'was stopped'}, and is ${step.state} by now: ${cell(reason)}`;
}

async function toAddress(target: string, json: string, { services, signal }: Context): Promise<void> {
  const { post } = await import('../../../http/client/post.ts');
  // It was read before the run began.
  const url = readUrl(target) as URL;
  await post(url, json, { timeoutMs: LIMIT, signal, proxyFor: services.proxyFor });
}

async function toCommand(line: string, input: string, { settings, signal }: Context): Promise<void> {
  const { linesOf, runToEnd } = await import('../../../settings/child.ts');
  // It has no use for the key.
  const { VAGENT_API_KEY: _key, ...env } = settings.env;
  const { code, ending, stderr } = await runToEnd(line, { signal, timeoutMs: LIMIT, input, env, mostBytes: 0 });
  if (code === 0) return;
  const said = linesOf(stderr).join(' ');
  throw new UnavailableError(`${ending}${said === '' ? '' : `: ${said}`}.`);
}
