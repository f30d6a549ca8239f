import type { Command } from 'commander';
import { filled } from '../arguments.ts';
import type { Context } from '../context.ts';
import {
  fieldType,
  type OperationName,
  operationNames,
  operations,
  parseInteger,
  type RequestOf,
  requestFields,
  type Service,
} from '../contract.ts';
import { InputError, UsageError } from '../errors.ts';
import { examples } from '../help.ts';
import { type Io, sourceName } from '../io.ts';
import { printJson } from '../output.ts';

interface Options {
  input?: string;
  force?: true;
}

export function register(command: Command, context: Context): void {
  const paths = operationNames.map((name) => operations[name].path.slice(1));
  command
    .argument('<operation>', paths.join(', '))
    .argument('[field=value...]', 'request fields, typed by the interface; an array as JSON')
    .option('--input <file>', 'the request as a JSON object from a file, or - for standard input', filled)
    .option('--force', 'send also what vagent call and vagent campaign create refuse to repeat')
    .addHelpText(
      'after',
      examples([
        'vagent api get-voices language=es',
        'vagent api get-call-logs limit=10 agent_id=1',
        'echo \'{"agent_name":"Ana","base_prompt":"Be brief.","voice_id":1}\' | vagent api create-agent --input -',
      ]),
    )
    .action((path: string, pairs: string[], options: Options) => run(path, pairs, options, context));
}

async function run(path: string, pairs: string[], { input, force }: Options, context: Context): Promise<void> {
  const operation = operationNames.find((name) => operations[name].path === `/${path.replace(/^\//, '')}`);
  if (operation === undefined) {
    const known = operationNames.map((name) => operations[name].path.slice(1));
    throw new UsageError(`There is no operation ${path}.`, { hint: `Operations: ${known.join(', ')}.` });
  }
  const fromFile = input === undefined ? {} : await readObject(input, context.io);
  const request = { ...fromFile, ...readPairs(operation, pairs) };
  for (const name of ['api_key', 'organization_id']) {
    if (Object.hasOwn(request, name)) {
      throw new UsageError(`${name} is no field of a request: it comes from the settings.`, {
        hint: 'vagent profile show',
      });
    }
  }
  const service = await context.service({ force });
  const send = service[operation] as Service[OperationName] as (fields: RequestOf<OperationName>) => Promise<unknown>;
  await printJson(context.io, await send(request as RequestOf<OperationName>));
}

function readPairs(operation: OperationName, pairs: string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = at === -1 ? pair : pair.slice(0, at);
    if (name === 'api_key')
      throw new UsageError('A key is never given on the command line: it shows in process lists.');
    if (at === -1) throw new UsageError(`${pair} is no field=value.`);
    if (Object.hasOwn(fields, name)) throw new UsageError(`${name} is given twice.`);
    fields[name] = typed(operation, name, pair.slice(at + 1));
  }
  return fields;
}

function typed(operation: OperationName, name: string, text: string): unknown {
  switch (fieldType(operation, name)) {
    case 'string':
      return text;
    case 'integer': {
      const value = parseInteger(text);
      if (value === undefined) throw new UsageError(`${name} must be an integer, not ${JSON.stringify(text)}.`);
      return value;
    }
    case 'array':
      return parseJson(text, name);
    case undefined:
      throw new UsageError(`${operations[operation].path} has no field ${name}.`, {
        hint: `Fields: ${requestFields(operation).join(', ')}.`,
      });
  }
}

async function readObject(input: string, io: Io): Promise<Record<string, unknown>> {
  const source = sourceName(input);
  const value = parseJson((await io.read(input, '--input')).toString('utf8'), source);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InputError(`${source} must hold a JSON object.`);
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${source} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}
