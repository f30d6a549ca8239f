/** What every error that is told must be: for a person, and for a program. */
import { expect } from 'vitest';

/** A sentence first, nothing of the program's inside, nothing that commands a terminal. */
export function expectClearTalk(stderr: string): void {
  const sentence = stderr.split('\n').find((line) => line.startsWith('vagent: '));
  expect(sentence).toMatch(/^vagent: \S.*[.?!]$/);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(stderr).not.toMatch(/undefined|\[object|NaN(?!')/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
}

const ERROR_FIELDS = ['code', 'message', 'hint', 'status', 'exit_code', 'issues'];

/** All of stderr is one JSON object of the documented shape. */
export function expectOneError(stderr: string, parts: object): void {
  const value = parseOne(stderr);
  expect(Object.keys(value)).toEqual(['error']);
  const { error } = value;
  expect(ERROR_FIELDS).toEqual(expect.arrayContaining(Object.keys(error)));
  expect(error).toMatchObject({
    code: expect.stringMatching(/^[a-z0-9_]+$/),
    message: expect.stringMatching(/\S/),
    issues: expect.any(Array),
    ...parts,
  });
  for (const issue of error.issues as unknown[]) {
    expect(issue).toEqual({ field: expect.any(String), message: expect.any(String) });
  }
}

export function parseOne(stderr: string): { error: Record<string, unknown> } {
  try {
    return JSON.parse(stderr);
  } catch {
    throw new Error(`stderr is not one JSON object:\n${stderr}`);
  }
}
