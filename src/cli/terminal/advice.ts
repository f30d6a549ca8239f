/** Shows a failure, and what to do about it: the one table that adds flags and commands to the facts from the core. */
import { type Asked, ringsPhones, type Service, serviceOf, traceOf } from '../../contract.ts';
import { type CallTrace, leavesOutcomeUnknown, limitOf, type Reason, reworded, VagentError } from '../../errors.ts';
import { withEscapedControls } from '../../text/controls.ts';
import { firstDaySince } from '../../text/iso.ts';
import { shellWord } from '../../text/shell.ts';
import { localTime } from '../../text/time.ts';
import { connectionFlags, type GlobalFlags, isJson } from '../flags/global.ts';
import type { Io } from './io.ts';

type AdviceOn<K extends Reason['kind']> = (
  reason: Extract<Reason, { kind: K }>,
  /** The flags that choose the service, with a space before each. */
  connection: string,
  flags: GlobalFlags,
) => string | undefined;

const ADVICE: { [K in Reason['kind']]: AdviceOn<K> } = {
  number_not_registered: (_reason, connection) => `vagent local number list${connection}`,
  agent_not_found: (_reason, connection) => `vagent agent list${connection}`,
  default_agent_not_found: (_reason, connection) =>
    `vagent agent list --status active${connection} lists those that can call.`,
  organization_not_found(_reason, _connection, { org: _none, ...others }) {
    return `vagent local org list${connectionFlags(others)}`;
  },
  campaign_not_found: (_reason, connection) => `vagent local campaign list${connection}`,
  agent_not_active: ({ agentId }, connection) => `vagent local agent ${agentId} --status active${connection}`,
  balance_too_low: (_reason, connection) => `vagent local topup 25${connection}`,
  rates_incomplete: () => 'Give all four, or --answer-rate alone, which scales the other three.',
  store_damaged: (_reason, connection) =>
    `Nothing was changed. See vagent local check${connection}, restore the store from a copy, or name another with --store.`,
  store_unreadable: () => 'Name a folder with --store or VAGENT_STORE.',
  store_foreign: () => 'Name an empty or new folder with --store or VAGENT_STORE.',
  store_too_new: ({ what }) => `Update vagent, or name another ${what} with --${what}.`,
  agent_cannot_call: (_reason, connection) => `vagent agent list --all${connection}`,
  plan_stopped: ({ planId, because }, connection, flags) => {
    const advice = because && adviceOn(because, flags);
    const resume = `The plan calls nobody until: vagent plan resume ${planId}${connection}`;
    return [advice, because?.kind === 'agent_cannot_call' ? '. ' : ' ', resume].join('').trimStart();
  },
  wave_unknown: ({ planId }, connection) => `vagent plan run ${planId}${connection} looks there, and goes on.`,
  wave_not_kept: ({ planId }, connection) => `vagent plan run ${planId}${connection} goes on from there.`,
  list_not_named: ({ planId, list }, connection) =>
    `If it is a list, and may be read here: vagent plan rehearse ${planId} --may-read ${shellWord(list)}${connection}`,
  plan_elsewhere: ({ isLocal, organizationId }) => {
    if (organizationId !== undefined) return `Add --org ${organizationId}.`;
    return isLocal ? 'Add --local, or --store with its folder.' : 'Name the profile, or --base-url and --org.';
  },
  cannot_listen: () => 'Choose another with --port, or --port 0 for a free one.',
  may_have_been_sent({ isCampaign, trace, at, organizationId }, _connection, flags) {
    const toLook = adviceToLook(trace, at, organizationId === undefined ? flags : { ...flags, org: organizationId });
    return `${isCampaign ? TO_CALL_THEM : 'To call anyway, repeat with --force'}; but ${toLook}`;
  },
  was_sent: () => 'To call them again, repeat with --again; --exclude-sent leaves them out.',
  redial_too_old({ at, campaignIds }, connection) {
    const redials = campaignIds.map((id) => `vagent campaign redial ${id}${connection}`).join(', ');
    const old = `The list to call them again is of ${localTime(at).slice(0, 16)}, more than a day old.`;
    return `${old} Make it anew: ${redials}; --again sends this one.`;
  },
  request_changed: () => 'Nothing that depends on it is sent. Look at it: vagent help database.',
  contacts_changed: () => 'Somebody else has changed them, or just forgotten them. Look at them: vagent help database.',
  numbers_needed: () => 'To forget it anyway, repeat with --force.',
  plan_damaged: ({ planId }, connection) =>
    'Nothing was changed. Put back a copy of what is kept. If there is none: vagent plan forget ' +
    `${planId} --force${connection} removes the plan and its results for good.`,
  plan_going_on: ({ planId }, connection) => `vagent plan cancel ${planId}${connection}`,
  sent_beside: ({ folder }) =>
    `Move register.jsonl, campaigns, redials and plans into a folder of their own, and then: vagent register ` +
    `copy --register <that folder> --to ${shellWord(folder)}`,
  placed: ({ trace, at, campaignId }, connection, flags) => {
    const status = `vagent campaign status ${campaignId}${connection}`;
    return adviceToSeeResult(campaignId === undefined ? commandThatShows(trace, at, flags) : status);
  },
  wave_placed: ({ planId }, connection) => `See its results with vagent plan status ${planId}${connection}`,
  header_below: ({ line, orLine }) =>
    `Use --header-line ${line}, or ${orLine === undefined ? 'remove the lines above it' : `${orLine} if that is the header`}.`,
  no_phone_column: () => 'Name it phone_number, or say which one it is: --map phone_number=<column>',
  several_columns: ({ field, first }) => `Choose one: --map ${field}=${first.includes(' ') ? `"${first}"` : first}`,
  nul_in_header: () => 'It may be UTF-16 without a byte order mark: --encoding utf-16le',
  unmarked_utf16: ({ encoding }) => `Use --encoding ${encoding}, or save the file as CSV UTF-8.`,
  other_encoding: ({ isChosen, guess }) =>
    `${isChosen ? 'Name another encoding' : 'Name the encoding'}, such as --encoding ${guess}, or save the file as CSV UTF-8.`,
  several_sheets: ({ sheets: [first = ''] }) => `Say which holds the contacts, such as --sheet ${shellWord(first)}`,
  other_export: ({ earlier }) => `It was ${earlier}. Leave --resume out to begin anew.`,
  checkpoint_damaged: () => 'Leave --resume out to begin anew.',
  calls_of_other_agent: ({ agentId }) => `Keep the calls of --agent ${agentId} in a file of their own.`,
  not_a_call_file: () => 'Only a file that logs sync or logs export wrote can be added to. Fix it, or name a new one.',
  refused: ({ status }, connection) => onRefusal(status, connection),
  redirected: (_reason, connection) => `Check the base URL: vagent doctor${connection}`,
  too_large: () => 'If it is what you want, --max-size takes more, such as 1GB.',
  unanswered: ({ isTransient }) => (isTransient ? TRY_AGAIN : 'Nothing was changed.'),
  outcome_unknown: () => undefined,
  unreachable: ({ isUntrusted }, connection) =>
    isUntrusted
      ? "If your own authority signed it, name a file with that authority's certificate in NODE_EXTRA_CA_CERTS."
      : `Check the base URL and the network, then try again; vagent doctor${connection} looks for the cause.`,
  proxy_unreachable: ({ variable }) => `Check ${variable} and NO_PROXY, then try again.`,
  proxy_refused: ({ variable, isAboutCredentials }) =>
    isAboutCredentials
      ? `Check the user name and password in ${variable}, and what they may reach.`
      : `Check the base URL, ${variable} and NO_PROXY, then try again.`,
};

const TRY_AGAIN = 'Nothing was changed: try again.';

const TO_CALL_THEM = 'To call them anyway, repeat with --force (--exclude-sent leaves them out)';

function onRefusal(status: number, connection: string): string | undefined {
  if (status === 401) return `Check the key: vagent doctor${connection}`;
  if (status === 403) return `Check the key and what it may do: vagent doctor${connection}`;
  if (status === 402) return 'Top up the wallet of the organization, then try again.';
  if (status === 404) {
    return `Check the organization, agent, voice and number, and the path of the base URL: vagent doctor${connection}`;
  }
  if (status === 429) return 'The service limits the rate of requests: wait, then try again.';
  return status >= 500 ? TRY_AGAIN : undefined;
}

/** The same service, whose errors are reworded. `change` gets what was sent as well. */
function rewording(
  service: Service,
  change: (error: VagentError, asked: Asked) => Parameters<typeof reworded>[1],
): Service {
  return serviceOf(async (operation, request) => {
    try {
      return await service[operation](request);
    } catch (error) {
      if (!(error instanceof VagentError)) throw error;
      throw reworded(error, change(error, { operation, request }));
    }
  });
}

/** The same service; if a time limit ends a request, the error names the flag that sets it. */
export function namingTimeoutFlag(service: Service): Service {
  return rewording(service, (error) => {
    const limit = limitOf(error);
    return limit === undefined ? {} : { message: error.message.replace(limit, `${limit} (--timeout)`) };
  });
}

function adviceOn(reason: Reason, flags: GlobalFlags): string | undefined {
  return (ADVICE[reason.kind] as AdviceOn<Reason['kind']>)(reason, connectionFlags(flags), flags);
}

/** The advice for an error. Suggested commands repeat the connection flags of the command line. */
export function hintOf({ reason, hint }: VagentError, flags: GlobalFlags): string | undefined {
  const advice = reason && adviceOn(reason, flags);
  return [advice, hint].filter((text) => text !== undefined).join(' ') || undefined;
}

/**
 * `trace` is that of a request that rings phones; what else is created is an agent. `sentAt` is when it was sent, in milliseconds
 * since the epoch; the flags choose the service.
 */
export function commandThatShows(trace: CallTrace | undefined, sentAt: number, flags: GlobalFlags): string {
  const connection = connectionFlags(flags);
  if (trace === undefined) return `vagent agent list --all${connection}`;
  const { agentId, from, to, startTime } = trace;
  const start = startTime === undefined ? sentAt : Math.max(sentAt, Date.parse(startTime));
  const called = to === undefined ? '' : ` --to ${to}`;
  const since = `--start-date ${firstDaySince(start)}`;
  return `vagent logs list${called} --from ${shellWord(from)} --agent ${agentId} ${since}${connection}`;
}

/** The same as advice that ends with the command; a campaign's calls appear only after it has begun. */
function adviceToLook(trace: CallTrace | undefined, sentAt: number, flags: GlobalFlags): string {
  const start = trace?.startTime;
  const when = start === undefined ? 'look first' : `look, once it has begun at ${start},`;
  return `${when} whether it happened, with ${commandThatShows(trace, sentAt, flags)}`;
}

/** What to do once a phone may ring: `look` is the command that shows the result. */
export function adviceToSeeResult(look: string): string {
  return `Do not repeat it: see its result with ${look}`;
}

/** The same service; an error that leaves an outcome unknown names the command that shows it. */
export function advisingToLook(service: Service, now: () => number, flags: GlobalFlags): Service {
  return rewording(service, (error, asked) => {
    if (!leavesOutcomeUnknown(error) || error.reason?.kind === 'placed') return {};
    const trace = ringsPhones(asked) ? traceOf(asked) : undefined;
    const advice = `Do not repeat it blindly: ${adviceToLook(trace, now(), flags)}`;
    return { hint: [error.hint, advice].filter(Boolean).join(' ') };
  });
}

/** Whether errors must be JSON, read from the raw arguments because parsing them may be what failed. */
export function isJsonAsked(argv: readonly string[]): boolean {
  return argv.some((word, at) => {
    const isFormat = word === 'json' && /^(-[a-zA-Z]*o|--output)$/.test(argv[at - 1] ?? '');
    return isFormat || word === '--json' || word === '--output=json' || /^-[a-zA-Z]*o=?json$/.test(word);
  });
}

/** The exit code of a bug. */
const UNEXPECTED = 1;
const MAX_SHOWN_ISSUES = 20;

/**
 * Shows what failed, in which field, and what to do; returns the exit code. The flags are those of the command line, which is
 * `answered` if it has answers that would be lost.
 */
export function renderError(io: Io, error: unknown, flags: GlobalFlags, answered?: string): number {
  const isExpected = error instanceof VagentError;
  const exitCode = isExpected ? error.exitCode : UNEXPECTED;
  const message = error instanceof Error ? error.message : String(error);
  const advice = isExpected ? hintOf(error, flags) : undefined;
  const kept = answered === undefined ? [] : [`With your answers so far: ${answered}`];
  const hint = [...(advice === undefined ? [] : [advice]), ...kept].join('\n') || undefined;
  if (isJson(flags)) {
    const { code, status, issues } = isExpected ? error : { code: 'unexpected', status: undefined, issues: [] };
    const shown = { code, message, hint: hint ?? null, status: status ?? null, exit_code: exitCode, issues };
    // Escaped, it has the same meaning for a program but no effect on a terminal.
    io.errorData(withEscapedControls(JSON.stringify(io.redactor.mask({ error: shown }))));
    return exitCode;
  }
  if (!isExpected) {
    io.error(`vagent: unexpected failure, which is a bug: ${error instanceof Error ? error.stack : message}`);
    return exitCode;
  }
  io.error(`vagent: ${message}`);
  // If there is a single issue, the sentence already contains it.
  const issues = error.issues.length === 1 && message.includes(error.issues[0]?.message ?? '') ? [] : error.issues;
  for (const { field, message } of issues.slice(0, MAX_SHOWN_ISSUES)) io.error(`  ${field}: ${message}`);
  const unseen = issues.length - MAX_SHOWN_ISSUES;
  if (unseen > 0) io.error(`  … and ${unseen} more (--json shows more)`);
  for (const line of hint?.split('\n') ?? []) io.error(`  → ${line}`);
  return exitCode;
}
