/** A JSON object that a command reads from a file or from standard input. */
import { isUtf8 } from 'node:buffer';
import { type Io, sourceName } from '../../cli/terminal/io.ts';
import { isObject } from '../../contract.ts';
import { InputError } from '../../errors.ts';

/** The value of a JSON text. `source` names it in messages. Throws InputError. */
export function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${source} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

/** The JSON value of a file. Throws InputError, also if an object has a field twice. */
export async function readJsonFile(input: string, io: Io): Promise<unknown> {
  const source = sourceName(input);
  const bytes = await io.read(input, '--input');
  if (!isUtf8(bytes)) throw new InputError(`${source} is not UTF-8.`);
  const value = parseJson(bytes.toString('utf8'), source);
  if (isObject(value)) await requireOnce(bytes, source);
  return value;
}

/** Where an object has a field twice, a parser keeps the last one. Which of two numbers is meant is not guessed. */
async function requireOnce(bytes: Buffer, source: string): Promise<void> {
  const { InvalidJson, JsonScan } = await import('../../text/json-scan.ts');
  const any = Number.POSITIVE_INFINITY;
  try {
    new JsonScan({ depth: any, containers: any, nameBytes: any }).read(bytes, bytes.length);
  } catch (error) {
    throw error instanceof InvalidJson ? new InputError(`${source} ${error.message}.`) : error;
  }
}
