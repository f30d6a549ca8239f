import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { country, filled, identifier, phoneNumber } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { printRecord } from '../../output.ts';
import { configPath, type Profile, writeConfig } from '../../profiles.ts';
import { complete } from '../../prompt.ts';
import { type GlobalFlags, parseBaseUrl, readKeyFile, requireEncryption } from '../../settings.ts';

interface Options {
  apiKeyCommand?: string;
  agent?: number;
  from?: string;
  country?: string;
}

export function register(command: Command, context: Context): void {
  command
    .argument('<name>', 'name of the profile', profileName)
    .option('--api-key-command <command>', 'a command that prints the key, instead of keeping it', filled)
    .option('--agent <id>', 'default agent', identifier)
    .option('--from <number>', 'default number to call from', phoneNumber)
    .option('--country <code>', 'default country of national numbers, such as DE', country)
    .addHelpText(
      'after',
      '\nConnection: --base-url <url> --org <id> and --api-key-file <file|-> or --api-key-command; or --local, with --store <dir>.\n' +
        'Where the key is not given and a person is there, it is asked for without being shown.\n' +
        examples([
          'vagent profile add work --base-url https://voice.example.com --org 7 --api-key-command "pass voice/key"',
          'vagent profile add rehearsal --local --store ./rehearsal --agent 1 --from +14155550100',
        ]),
    )
    .action((name: string, options: Options) => run(name, options, context));
}

/** A plain word: it is typed often, and stands as a key in a file. */
function profileName(text: string): string {
  if (/^[A-Za-z0-9][\w.-]*$/.test(text)) return text;
  throw new InvalidArgumentError('It must be letters, digits, dots, dashes and underscores, a letter or digit first.');
}

async function run(name: string, options: Options, context: Context): Promise<void> {
  const { io, flags, config, configFolder } = context;
  if (options.country !== undefined) {
    const { numberReader } = await import('../../contacts/numbers.ts');
    numberReader(options.country);
  }
  const defaults = { agent_id: options.agent, from: options.from, country: options.country };
  const profile: Profile = flags.local
    ? {
        mode: 'local',
        store: flags.store === undefined ? undefined : resolve(flags.store),
        organization_id: flags.org,
        ...defaults,
      }
    : { mode: 'remote', ...(await connection(options, context)), ...defaults };
  const profiles = { ...config.profiles, [name]: profile };
  const active = config.active ?? name;
  await writeConfig(configFolder, { active, profiles });
  io.note(`Profile ${name} is kept in ${configPath(configFolder)}.`);
  if (active !== name) io.note(`The active profile is still ${active}: vagent profile use ${name}`);
  await printRecord(io, flags, { name, mode: profile.mode, active: active === name });
}

async function connection({ apiKeyCommand }: Options, { io, flags }: Context): Promise<Omit<Profile, 'mode'>> {
  if (apiKeyCommand !== undefined && flags.apiKeyFile !== undefined) {
    throw new UsageError('--api-key-command and --api-key-file exclude each other.');
  }
  if (flags.baseUrl !== undefined) requireEncryption(flags.baseUrl, flags);
  const { baseUrl, org, key } = await complete(
    io,
    { baseUrl: flags.baseUrl, org: flags.org, key: apiKeyCommand ?? flags.apiKeyFile },
    {
      baseUrl: { flag: '--base-url', message: 'Base URL', parse: (text) => encryptedUrl(text, flags) },
      org: { flag: '--org', message: 'Organization', parse: identifier },
      key: { flag: '--api-key-file or --api-key-command', message: 'API key', parse: filled, isSecret: true },
    },
  );
  const where = { base_url: baseUrl.href, organization_id: org };
  if (apiKeyCommand !== undefined) return { ...where, api_key_command: apiKeyCommand };
  if (flags.apiKeyFile !== undefined) return { ...where, api_key: await readKeyFile(flags.apiKeyFile, io) };
  return { ...where, api_key: key.trim() };
}

function encryptedUrl(text: string, flags: GlobalFlags): URL {
  const url = parseBaseUrl(text, 'It');
  requireEncryption(url, flags);
  return url;
}
