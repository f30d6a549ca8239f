/** JSON that anybody may have written: what cannot be read is undefined, and never an error. */

export function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

/** An object, whose fields are still to be looked at. */
export function fieldsIn(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** A list of texts. */
export function textsIn(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}
