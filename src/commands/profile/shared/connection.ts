/** The connection of a profile to a real service: what is missing is asked for, and the key is tried before it is kept. */
import { InvalidArgumentError } from 'commander';
import type { GlobalFlags } from '../../../cli/flags/global.ts';
import { filled, identifier } from '../../../cli/flags/values.ts';
import { ask, complete } from '../../../cli/terminal/prompt.ts';
import type { TextQuestion } from '../../../cli/terminal/question.ts';
import type { Context } from '../../../context.ts';
import type { SilentService } from '../../../contract.ts';
import { reworded, UsageError, VagentError } from '../../../errors.ts';
import type { Profile } from '../../../settings/profiles.ts';
import { readKeyFile, requireEncryption } from '../../../settings/settings.ts';
import { Redactor } from '../../../text/redact.ts';
import { parseBaseUrl, readUrl } from '../../../text/url.ts';

/** The key itself, or a command of the operator's that prints it. */
type KeySource = { api_key: string } | { api_key_command: string };

export interface Connection {
  fields: { base_url: string; organization_id: number } & KeySource;
  /** The service, with the key. */
  connect: () => Promise<SilentService>;
}

export interface ConnectionSetting {
  /** The profile as it is; its fields are kept where nothing else is given. */
  before: Profile | undefined;
  apiKeyCommand: string | undefined;
  /** Whether every field is asked for, with the present one preset. */
  isGuided?: boolean;
}

/**
 * A key that is kept is never sent to another origin than its own: there it must be given again. Throws what the service or the
 * key's command throws, saying that nothing was saved; at a terminal, what was answered is asked again instead.
 */
export async function completeConnection(setting: ConnectionSetting, context: Context): Promise<Connection> {
  const { isGuided = false, apiKeyCommand } = setting;
  const before = setting.before?.mode === 'remote' ? setting.before : undefined;
  const { io, flags } = context;
  if (apiKeyCommand !== undefined && flags.apiKeyFile !== undefined) {
    throw new UsageError('--api-key-command and --api-key-file cannot be used together.');
  }
  if (flags.baseUrl !== undefined) requireEncryption(flags.baseUrl, flags);
  const present = { url: readUrl(before?.base_url ?? ''), org: before?.organization_id, key: keyOf(before) };
  const { otherKey, ...questions } = questionsOf(flags, isGuided);
  questions.url.preset = present.url?.href;
  questions.org.preset = present.org?.toString();
  let source: KeySource | undefined;
  try {
    if (apiKeyCommand !== undefined) source = { api_key_command: apiKeyCommand };
    else if (flags.apiKeyFile !== undefined) source = { api_key: await readKeyFile(flags.apiKeyFile, io) };
  } catch (error) {
    throw nothingSaved(error);
  }
  let url = flags.baseUrl ?? (isGuided ? await ask(io, questions.url) : present.url);
  let org = flags.org ?? (isGuided ? await ask(io, questions.org) : present.org);
  const kept = url?.origin === present.url?.origin ? present.key : undefined;
  if (source === undefined && kept !== undefined) source = (isGuided ? await ask(io, otherKey) : undefined) ?? kept;
  const asked = {
    url: isGuided || url === undefined,
    org: isGuided || org === undefined,
    key: isGuided || source === undefined,
  };
  for (;;) {
    const whole = await complete(io, { url, org, key: source }, questions);
    const { url: baseUrl, org: organization_id, key } = whole;
    const fields = { base_url: baseUrl.href, organization_id, ...key };
    let secret: string | undefined;
    const connect = async () => {
      secret ??= await readKey(key, context);
      return context.services.at(baseUrl, { organization_id, api_key: secret });
    };
    const isAsBefore = baseUrl.href === present.url?.href && organization_id === present.org && key === present.key;
    if (isAsBefore) return { fields, connect };
    try {
      // The cheapest request that needs the key and changes nothing, so that a profile that is kept works.
      await (await connect()).getAgents({ limit: 1 });
      io.note(`${baseUrl.host} accepts the key for organization ${organization_id}.`);
      return { fields, connect };
    } catch (error) {
      const wrong = io.canAsk && error instanceof VagentError ? wrongAnswer(error) : undefined;
      if (wrong === undefined || !asked[wrong]) throw nothingSaved(error);
      io.error((error as Error).message);
      [url, org, source] = [baseUrl, organization_id, key];
      if (wrong === 'url') {
        url = await ask(io, { ...questions.url, preset: baseUrl.href });
        if (source === kept && url?.origin !== present.url?.origin) source = undefined;
      } else if (wrong === 'org') org = undefined;
      else source = undefined;
    }
  }
}

/** Which answer a failure speaks of. */
function wrongAnswer({ status, exitCode }: VagentError): 'url' | 'org' | 'key' | undefined {
  if (status === 401 || status === 403) return 'key';
  if (status === 404) return 'org';
  return exitCode === 7 && status === undefined ? 'url' : undefined;
}

/** Its own hints, because those of other commands mention the profile, which does not exist yet. */
function nothingSaved(error: unknown): unknown {
  if (!(error instanceof VagentError)) return error;
  const message = `${error.message} Nothing was saved.`;
  const wrong = wrongAnswer(error);
  const hint = wrong && `Check ${TO_CHECK[wrong]}, then try again.`;
  return reworded(error, hint === undefined ? { message } : { message, hint, reason: undefined });
}

const TO_CHECK = {
  key: 'the key',
  org: '--org and the path of --base-url',
  url: '--base-url and the network',
};

// The key ------------------------------------------------------------------------------------------------------------

function keyOf({ api_key, api_key_command }: Partial<Profile> = {}): KeySource | undefined {
  if (api_key !== undefined) return { api_key };
  return api_key_command === undefined ? undefined : { api_key_command };
}

/** The key, masked from now on. */
async function readKey(source: KeySource, context: Context): Promise<string> {
  if ('api_key' in source) {
    context.io.redactor.add(source.api_key);
    return source.api_key;
  }
  const { keyFromCommand } = await import('../../../settings/key-command.ts');
  const printed = await keyFromCommand(source.api_key_command, context);
  requireLookup(source.api_key_command, printed);
  return printed;
}

/** A profile shows its command, so the command must not contain the key. */
function requireLookup(command: string, key: string): void {
  const itself = new Redactor();
  itself.add(key);
  if (itself.redact(command) === command) return;
  throw new UsageError('--api-key-command contains the key itself, and profiles show their command.', {
    hint: 'Name a command that looks the key up, or give the key with --api-key-file, or at the question.',
  });
}

// Questions ----------------------------------------------------------------------------------------------------------

/** Whoever is guided through all of them is told what each means. */
function questionsOf(flags: GlobalFlags, isGuided: boolean) {
  const asking = (flag: string, message: string, help: string) => ({ flag, message, ...(isGuided && { help }) });
  const url: TextQuestion<URL> = {
    ...asking('--base-url', 'Base URL', 'Where the service answers, such as https://voice.example.com/api.'),
    parse(text) {
      const url = parseBaseUrl(text.trim(), 'It');
      requireEncryption(url, flags);
      return url;
    },
  };
  const org: TextQuestion<number> = {
    ...asking('--org', 'Organization', 'The number of your organization at the service.'),
    parse: (text) => identifier(text.trim()),
  };
  const help = 'It is not shown. It is tried now, and kept in a file that only you can read.';
  const secret = { ...asking('--api-key-file or --api-key-command', 'API key', help), isSecret: true as const };
  const parse = (text: string) => ({ api_key: oneWord(text) });
  const key: TextQuestion<KeySource> = { ...secret, parse };
  const otherKey: TextQuestion<KeySource | undefined> = {
    ...secret,
    hint: 'Enter: as it is',
    parse: (text) => (text === '' ? undefined : parse(text)),
  };
  return { url, org, key, otherKey };
}

function oneWord(text: string): string {
  const word = filled(text).trim();
  if (!/\s/.test(word)) return word;
  throw new InvalidArgumentError('It must be one word.');
}
