import { nearest } from '../cli/flags/nearest.ts';
import { filled } from '../cli/flags/values.ts';
import { sourceName } from '../cli/terminal/io.ts';
import { printJson } from '../cli/terminal/output.ts';
import { orAsk } from '../cli/terminal/prompt.ts';
import type { Context } from '../context.ts';
import {
  checkRequest,
  fieldType,
  isObject,
  type OperationName,
  operationNames,
  operations,
  parseInteger,
  type RequestOf,
  requestFields,
  type Service,
} from '../contract.ts';
import { InputError, UsageError } from '../errors.ts';
import { DO_NOT_CALL, withoutThose } from '../register/do-not-call.ts';
import { counted } from '../text/numbers.ts';
import type { CommandModule } from './shared/command.ts';
import { noteNextTime, requireConsent } from './shared/consent.ts';
import { exclusionLine, optedOutLine } from './shared/contacts-report.ts';
import { addGuardFlags, type GuardOptions } from './shared/flags.ts';
import { parseJson, readJsonFile } from './shared/json-input.ts';

interface Options extends GuardOptions {
  input?: string;
}

/** The operations by their paths, without the slash before them. */
const BY_PATH = new Map(operationNames.map((name) => [operations[name].path.slice(1), name]));
const PATHS = [...BY_PATH.keys()];

export const command: CommandModule = {
  examples: [
    'vagent api get-voices language=es',
    'vagent api get-call-logs limit=10 agent_id=1',
    'vagent api create-agent --input front-desk.json',
  ],
  exits: 'calling',
  formats: ['json'],
  takes: (command) =>
    addGuardFlags(command)
      .asked('<operation>', PATHS.join(', '), String)
      .argument('[field=value...]', 'request fields, converted to their types; an array as JSON')
      .option('--input <file>', 'the request as a JSON object from a file, or - for standard input', filled),
  run,
};

async function run(context: Context, given: string | undefined, pairs: string[], options: Options): Promise<void> {
  const { io, services } = context;
  const choices = [...BY_PATH].map(([path, name]) => ({ name: `${path}  (${operations[name].method})`, value: path }));
  const question = { flag: '<operation>', message: 'Operation', choices: async () => choices };
  const path = await orAsk(io, given, question);
  const operation = BY_PATH.get(path.replace(/^\//, ''));
  if (operation === undefined) {
    const similar = nearest(path, PATHS);
    const guess = similar === undefined ? '' : `Did you mean ${similar}? `;
    throw new UsageError(`There is no operation ${path}.`, { hint: `${guess}Operations: ${PATHS.join(', ')}.` });
  }
  const { input, again, force } = options;
  const fromFile = input === undefined ? {} : await readJsonFile(input, io);
  if (!isObject(fromFile)) throw new InputError(`${sourceName(input as string)} must hold a JSON object.`);
  const request = { ...fromFile, ...readPairs(operation, pairs) };
  for (const name of ['api_key', 'organization_id']) {
    if (Object.hasOwn(request, name)) {
      throw new UsageError(`${name} is not a field of a request: it comes from the settings.`, {
        hint: 'vagent profile show',
      });
    }
  }
  if (given === undefined) await confirmed(operation, request, context);
  const service = await services.chosen({ again, force });
  const send = service[operation] as Service[OperationName] as (fields: RequestOf<OperationName>) => Promise<object>;
  const sent = operation === 'createCampaign' ? await whoMayBeCalled(request, options, context) : request;
  await printJson(io, await send(sent as RequestOf<OperationName>));
}

/** What was chosen from a list is shown before it changes anything. */
async function confirmed(operation: OperationName, request: object, context: Context): Promise<void> {
  const { method, path } = operations[operation];
  if (method === 'GET') return noteNextTime(context);
  const facts = { Operation: `${method} ${path}`, Fields: JSON.stringify(request) };
  const isReal = context.settings.isRemote();
  await requireConsent({ facts, question: 'Send this request?', ringsPhones: isReal }, context);
}

/**
 * The same request without contacts that opted out, or were sent before if those are to be left out. An invalid one is returned
 * as it is: sending it fails.
 */
async function whoMayBeCalled(
  request: Record<string, unknown>,
  { excludeSent }: GuardOptions,
  { io, register, settings }: Context,
): Promise<Record<string, unknown>> {
  const checked = checkRequest('createCampaign', request);
  if (!checked.ok) return request;
  const { length } = checked.value.contacts;
  const nobodyLeft = `None of ${counted(length, 'contact')} is left to be called. Nothing was sent.`;
  const willing = withoutThose(await (await register.optedOut()).phones(), checked.value.contacts);
  const optedOut = length - willing.length;
  if (optedOut > 0) io.warn(optedOutLine(optedOut, length));
  if (optedOut === length && length > 0) throw new InputError(nobodyLeft, { code: DO_NOT_CALL });
  const left = optedOut === 0 ? request : { ...request, contacts: willing };
  if (!excludeSent || !settings.isRemote()) return left;
  const { contacts, leftOut } = await register.withoutSent({ ...checked.value, contacts: willing });
  for (const list of leftOut) io.note(exclusionLine(list));
  if (contacts.length === 0) throw new InputError(nobodyLeft);
  return { ...request, contacts };
}

function readPairs(operation: OperationName, pairs: string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, name = '', text] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
    if (name === 'api_key')
      throw new UsageError('A key is never given on the command line: it shows in process lists.');
    if (text === undefined) throw new UsageError(`${pair} is not of the form field=value.`);
    if (Object.hasOwn(fields, name)) throw new UsageError(`${name} is given twice.`);
    fields[name] = typed(operation, name, text);
  }
  return fields;
}

function typed(operation: OperationName, name: string, text: string): unknown {
  const type = fieldType(operation, name);
  if (type === 'array') return parseJson(text, name);
  const value = type === 'integer' ? parseInteger(text) : text;
  if (value === undefined) throw new UsageError(`${name} must be an integer, not ${JSON.stringify(text)}.`);
  if (type !== undefined) return value;
  throw new UsageError(`${operations[operation].path} has no field ${name}.`, {
    hint: `Fields: ${requestFields(operation).join(', ')}.`,
  });
}
