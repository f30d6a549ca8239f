/** The value of `--price-per-minute`. */
import { InvalidArgumentError } from 'commander';
import { fromMicros, micros } from '../../engine/money.ts';
import { MAX_PRICE_PER_MINUTE } from '../../engine/policy.ts';

/** The price of each started minute, in millionths. */
export function pricePerMinute(text: string): number {
  try {
    const price = micros(text);
    if (price <= MAX_PRICE_PER_MINUTE) return price;
  } catch {
    // Reported below, with the allowed values.
  }
  const dearest = fromMicros(MAX_PRICE_PER_MINUTE);
  throw new InvalidArgumentError(`It must be a decimal from 0 to ${dearest} with at most 6 decimals, such as 0.10.`);
}
