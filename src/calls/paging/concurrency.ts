/** How many pages are requested at a time where nothing else is said. The local engine gains nothing from more than one. */
export const REMOTE_CONCURRENCY = 4;

export function concurrencyOf({ register }: { register: { target(): { isLocal: boolean } } }): number {
  return register.target().isLocal ? 1 : REMOTE_CONCURRENCY;
}
