/** The engine's own bounds for a request that the contract accepts. */
import { type CheckedRequest, type Contact, type OperationName, parseInstant } from '../contract.ts';
import { badRequest, type Issue } from '../errors.ts';
import {
  isWithinCalendar,
  MAX_AGENTS_LIMIT,
  MAX_CALLS_PER_HOUR,
  MAX_CONTACTS,
  MAX_NAME_LENGTH,
  MAX_RETRY_ATTEMPTS,
  MAX_RETRY_DELAY,
  MAX_TEXT_LENGTH,
} from './policy.ts';

const LARGEST: Record<string, number> = {
  calls_per_hour: MAX_CALLS_PER_HOUR,
  retry_attempts: MAX_RETRY_ATTEMPTS,
  retry_delay: MAX_RETRY_DELAY,
  limit: MAX_AGENTS_LIMIT,
};

const NAMES = ['agent_name', 'campaign_name'];
export const CONTACT_TEXTS = ['custom_first_line', 'custom_instruction', 'custom_identifiers'] as const;

/** Throws the 400 that names the fields beyond their bounds, contacts excepted. */
export function requireBounds(request: CheckedRequest<OperationName>): void {
  const issues = Object.entries(request).flatMap(([field, value]): Issue[] => {
    const message = beyondBounds(field, value);
    return message === undefined ? [] : [{ field, message }];
  });
  if (issues.length > 0) throw badRequest(issues);
}

function beyondBounds(field: string, value: unknown): string | undefined {
  const longest = NAMES.includes(field) ? MAX_NAME_LENGTH : MAX_TEXT_LENGTH;
  const largest = LARGEST[field] ?? Number.POSITIVE_INFINITY;
  if (typeof value === 'string' && isLonger(value, longest)) return tooLong(longest);
  if (typeof value === 'number' && value > largest) return `must be ${largest} or less`;
  // In some time zones, the last day of the calendar ends earlier than in UTC.
  const isTooLate = field === 'start_time' && !isWithinCalendar(parseInstant(String(value))?.epochMs ?? 0);
  return isTooLate ? 'must not be beyond the year 9999' : undefined;
}

/** Throws the 400 that names the first contact with a text that is out of bounds, or says that there are too many contacts. */
export function requireContactBounds(contacts: readonly Contact[], from = 0, to = contacts.length): void {
  if (contacts.length > MAX_CONTACTS) {
    const message = `must hold ${MAX_CONTACTS} contacts or fewer, not ${contacts.length}`;
    throw badRequest([{ field: 'contacts', message }]);
  }
  for (let at = from; at < Math.min(to, contacts.length); at++) {
    for (const name of CONTACT_TEXTS) {
      const text = contacts[at]?.[name];
      if (text === undefined) continue;
      const field = `contacts.${at}.${name}`;
      if (isLonger(text, MAX_TEXT_LENGTH)) throw badRequest([{ field, message: tooLong(MAX_TEXT_LENGTH) }]);
    }
  }
}

/** Counts characters as people do, not as a string stores them: an emoji is one, not two. */
function isLonger(text: string, longest: number): boolean {
  if (text.length <= longest) return false;
  if (text.length > 2 * longest) return true;
  let characters = 0;
  for (const _character of text) characters += 1;
  return characters > longest;
}

function tooLong(longest: number): string {
  return `must have ${longest} characters or fewer`;
}
