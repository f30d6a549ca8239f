import { hostname, userInfo } from 'node:os';

/** The person at work: `user@host`. */
export function operator(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A user without an account entry, as in a container.
    return hostname();
  }
}
