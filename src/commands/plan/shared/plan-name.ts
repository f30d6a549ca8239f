/** The name of a new plan. */
import { InvalidArgumentError } from 'commander';
import { filled } from '../../../cli/flags/values.ts';
import { LONGEST_PLAN_NAME } from '../../../plans/rules/waves.ts';
import { isId } from '../../shared/pick.ts';

/** Throws InvalidArgumentError if nobody could name the plan by it, or if waves could not be called by it and a number. */
export function planName(text: string): string {
  const { length } = [...filled(text)];
  if (isId(text.trim())) {
    throw new InvalidArgumentError('It must be more than a number: other commands take a number for the id of a plan.');
  }
  if (length <= LONGEST_PLAN_NAME) return text;
  throw new InvalidArgumentError(
    `It must have at most ${LONGEST_PLAN_NAME} characters, not ${length}: each wave is called by it and a number.`,
  );
}
