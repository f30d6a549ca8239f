/** The file of `agent create --input`: a JSON object with fields of create-agent, as `agent export` writes it. */
import { checkRequest, type RequestOf } from '../../../contract.ts';
import { InputError, type Issue } from '../../../errors.ts';
import { nearest } from '../../../flags/nearest.ts';
import { type Io, sourceName } from '../../../terminal/io.ts';
import { shellWord } from '../../../text/shell.ts';
import { isObject, readJsonFile } from '../../shared/json-input.ts';
import { CREATION_FIELDS } from './known-agent.ts';

/** Fields may be missing: flags can give them. */
export type AgentFile = Partial<RequestOf<'createAgent'>>;

/** Throws InputError, which names each field that is unknown or of the wrong type. */
export async function readAgentFile(input: string, io: Io): Promise<AgentFile> {
  const source = sourceName(input);
  const value = await readJsonFile(input, io);
  if (Array.isArray(value)) throw severalAgents(input, value.length);
  if (!isObject(value)) throw new InputError(`${source} must hold a JSON object, with the fields of one agent.`);
  const given = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
  const issues = [...unknownFields(given), ...wrongFields(given)];
  if (issues.length === 0) return given;
  throw new InputError(`${source} is not a description of an agent.`, {
    issues,
    hint: `Fields: ${CREATION_FIELDS.join(', ')}.`,
  });
}

function severalAgents(input: string, count: number): InputError {
  const source = input === '-' ? '' : ` ${shellWord(input)}`;
  return new InputError(`${sourceName(input)} holds a list of ${count}; one agent is created at a time.`, {
    hint: `Its first: jq '.[0]'${source} | vagent agent create --input -`,
  });
}

function unknownFields(value: object): Issue[] {
  const unknown = Object.keys(value).filter((name) => !CREATION_FIELDS.includes(name));
  return unknown.map((field) => {
    const meant = nearest(field, CREATION_FIELDS);
    return { field, message: `no field of a new agent${meant === undefined ? '' : `: did you mean ${meant}?`}` };
  });
}

/** What the interface says of the fields that are there; those that are missing may be given by flags. */
function wrongFields(value: Record<string, unknown>): Issue[] {
  const checked = checkRequest('createAgent', value);
  if (checked.ok) return [];
  return checked.issues.filter(({ field }) => value[field] !== undefined);
}
