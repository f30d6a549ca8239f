/** The name of a new plan. */
import { InvalidArgumentError } from 'commander';
import { filled } from '../../../flags/values.ts';
import { LONGEST_PLAN_NAME } from '../../../plans/wave-name.ts';

/** Throws InvalidArgumentError if waves could not be called by it and a number. */
export function planName(text: string): string {
  const { length } = [...filled(text)];
  if (length <= LONGEST_PLAN_NAME) return text;
  throw new InvalidArgumentError(
    `It must have at most ${LONGEST_PLAN_NAME} characters, not ${length}: each wave is called by it and a number.`,
  );
}
