import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../../context.ts';
import { reworded, UsageError, VagentError } from '../../errors.ts';
import type { GlobalFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { country, filled, identifier, writtenNumber } from '../../flags/values.ts';
import { readKeyFile } from '../../settings/key.ts';
import { configPath, type Profile } from '../../settings/profiles.ts';
import { requireEncryption } from '../../settings/target.ts';
import { printRecord } from '../../terminal/output.ts';
import { complete } from '../../terminal/prompt.ts';
import { parseBaseUrl } from '../../text/base-url.ts';
import { Redactor } from '../../text/redact.ts';
import { requireCountry } from '../shared/country.ts';
import { readPhone } from '../shared/phone.ts';

interface Options {
  apiKeyCommand?: string;
  agent?: number;
  from?: string;
  country?: string;
}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes:
      'Connection: --base-url <url> --org <id> and --api-key-file <file|-> or --api-key-command; or --local, with --store <dir>.\n\n' +
      'On a terminal, a key that is not given is asked for; it is not shown. ' +
      'The key is tried on the service first; a profile whose key is refused is not kept.',
    examples: [
      'vagent profile add work --base-url https://voice.example.com/api --org 7 --api-key-command "pass voice/key"',
      'vagent profile add rehearsal --local --store ./rehearsal --agent 1 --from +14155550100',
    ],
    exits: EXITS.reading,
  });
  command
    .argument('<name>', 'name of the profile', profileName)
    .option('--api-key-command <command>', 'a command that prints the key, kept in its place', filled)
    .optionsGroup('Defaults of its commands')
    .option('--agent <id>', 'default agent', identifier)
    .option('--from <number>', 'default number to call from', writtenNumber)
    .option('--country <code>', 'default country of national numbers, such as DE', country)
    .action((name: string, options: Options) => run(name, options, context));
}

/** A plain word, because it is typed often and is a key in a file. */
function profileName(text: string): string {
  if (/^[A-Za-z0-9][\w.-]*$/.test(text)) return text;
  throw new InvalidArgumentError('It must be letters, digits, dots, dashes and underscores, a letter or digit first.');
}

export async function run(name: string, options: Options, context: Context): Promise<void> {
  const { io, flags, settings, commandLine } = context;
  const configFolder = settings.configFolder();
  if (options.country !== undefined) await requireCountry(options.country);
  const place = { place: '--from', country: options.country, hasCountryFlag: true };
  const from = options.from && (await readPhone(options.from, place, io));
  if (flags.local && flags.baseUrl !== undefined)
    throw new UsageError('--local and --base-url cannot be used together.');
  const defaults = { agent_id: options.agent, from, country: options.country };
  const profile: Profile = flags.local
    ? {
        mode: 'local',
        store: flags.store === undefined ? undefined : resolve(flags.store),
        organization_id: flags.org,
        ...defaults,
      }
    : { mode: 'remote', ...(await connection(options, context)), ...defaults };
  const { changeConfig } = await import('../../settings/profile-file.ts');
  const { before, after } = await changeConfig(configFolder, commandLine, (config) => ({
    active: config.active ?? name,
    profiles: { ...config.profiles, [name]: profile },
  }));
  const isNew = !Object.hasOwn(before.profiles, name);
  const { active } = after;
  io.note(`Profile ${name} is ${isNew ? 'saved' : 'replaced'} in ${configPath(configFolder)}.`);
  if (active !== name) io.note(`The active profile is still ${active}: vagent profile use ${name}`);
  await printRecord(io, flags, { name, mode: profile.mode, active: active === name });
}

async function connection(options: Options, context: Context): Promise<Omit<Profile, 'mode'>> {
  const { apiKeyCommand } = options;
  const { io, flags } = context;
  if (apiKeyCommand !== undefined && flags.apiKeyFile !== undefined) {
    throw new UsageError('--api-key-command and --api-key-file cannot be used together.');
  }
  if (flags.baseUrl !== undefined) requireEncryption(flags.baseUrl, flags);
  const { baseUrl, org, key } = await complete(
    io,
    { baseUrl: flags.baseUrl, org: flags.org, key: apiKeyCommand ?? flags.apiKeyFile },
    {
      baseUrl: { flag: '--base-url', message: 'Base URL', parse: (text) => encryptedUrl(text, flags) },
      org: { flag: '--org', message: 'Organization', parse: identifier },
      key: { flag: '--api-key-file or --api-key-command', message: 'API key', parse: oneWord, isSecret: true },
    },
  );
  const where = { base_url: baseUrl.href, organization_id: org };
  try {
    if (apiKeyCommand !== undefined) {
      const { keyFromCommand } = await import('../../settings/key-command.ts');
      const printed = await keyFromCommand(apiKeyCommand, context);
      requireLookup(apiKeyCommand, printed);
      await tryKey(context, baseUrl, org, printed);
      return { ...where, api_key_command: apiKeyCommand };
    }
    const api_key = flags.apiKeyFile === undefined ? key : await readKeyFile(flags.apiKeyFile, io);
    await tryKey(context, baseUrl, org, api_key);
    return { ...where, api_key };
  } catch (error) {
    if (!(error instanceof VagentError)) throw error;
    const message = `${error.message} Nothing was saved.`;
    const hint = adviceToAddAgain(error);
    throw reworded(error, hint === undefined ? { message } : { message, hint, reason: undefined });
  }
}

/** Tries the key with the cheapest request that needs it and changes nothing, so that a profile that is kept works. */
async function tryKey(context: Context, baseUrl: URL, organization_id: number, api_key: string): Promise<void> {
  const { io } = context;
  io.redactor.add(api_key);
  const service = await context.serviceAt(baseUrl, { organization_id, api_key });
  await service.getAgents({ limit: 1 });
  io.note(`${baseUrl.host} accepts the key for organization ${organization_id}.`);
}

/** Its own hints, because those of other commands mention the profile, which does not exist yet. */
function adviceToAddAgain({ status, exitCode }: VagentError): string | undefined {
  if (status === 401 || status === 403) return 'Check the key, then add the profile again.';
  if (status === 404) return 'Check --org and the path of --base-url, then add the profile again.';
  const isOfWay = exitCode === 7 && status === undefined;
  return isOfWay ? 'Check --base-url and the network, then add the profile again.' : undefined;
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

function oneWord(text: string): string {
  const word = filled(text).trim();
  if (!/\s/.test(word)) return word;
  throw new InvalidArgumentError('It must be one word.');
}

function encryptedUrl(text: string, flags: GlobalFlags): URL {
  const url = parseBaseUrl(text, 'It');
  requireEncryption(url, flags);
  return url;
}
