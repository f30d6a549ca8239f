/**
 * The phones whose people opted out: nothing of that service calls them again, whatever organization they said it to, because
 * the people who are called do not see the organization. Throws FileErrors.
 */
import type { Rows, Sql } from '../database/sql.ts';
import { serviceKey } from './service-key.ts';

export interface OptedOutOptions {
  rows: Rows;
  /** The base URL, or of the local engine the key of its store. */
  service: string;
  isLocal: boolean;
  /** Who is told it now. */
  organizationId: number;
  /** Milliseconds since the epoch. */
  systemNow: () => number;
}

export class OptedOut {
  readonly #options: OptedOutOptions;
  readonly #key: string;
  /** Where the list is kept, for messages. */
  readonly location: string;

  constructor(options: OptedOutOptions) {
    this.#options = options;
    this.#key = options.isLocal ? options.service : serviceKey(options.service);
    this.location = options.rows.location;
  }

  /** Keys of phones (`phoneKeyOfDigits`), with what others have added by now. */
  async phones(): Promise<ReadonlySet<number>> {
    const found = await this.#options.rows.read((sql) =>
      sql.all<{ phone: number }>('select phone from opted_out where service_key = $1', [this.#key]),
    );
    return new Set(found.map(({ phone }) => phone));
  }

  /** Those of `phones` who opted out, rising. Nobody else is read. */
  async among(phones: readonly number[], sql?: Sql): Promise<number[]> {
    const ask = async (inside: Sql) => {
      const found = [];
      for (let from = 0; from < phones.length; from += TOGETHER) {
        const some = JSON.stringify(phones.slice(from, from + TOGETHER));
        found.push(
          ...(await inside.all<{ phone: number }>(
            'select phone from opted_out where phone in (select value from numbers($1) as list) and service_key = $2',
            [some, this.#key],
          )),
        );
      }
      return found.map(({ phone }) => phone).sort((one, other) => one - other);
    };
    return sql === undefined ? await this.#options.rows.read(ask) : await ask(sql);
  }

  /** Durable when it resolves. Those that are known already stay as they are. */
  async add(phones: Iterable<number>): Promise<void> {
    const { rows, organizationId, systemNow } = this.#options;
    const wanted = [...new Set(phones)];
    if (wanted.length === 0) return;
    const known = await this.among(wanted);
    if (known.length === wanted.length) return;
    const fresh = wanted.map((phone) => [this.#key, phone, organizationId, systemNow()]);
    await rows.write((sql) =>
      sql.insert('opted_out', ['service_key', 'phone', 'organization_id', 'since'], fresh, 'on conflict do nothing'),
    );
  }

  /** For an organization of the local engine whose calls were deleted: nobody has told it anything yet. Durable when it resolves. */
  async beginAnew(): Promise<void> {
    if ((await this.phones()).size === 0) return;
    await this.#options.rows.put('delete from opted_out where service_key = $1 and organization_id = $2', [
      this.#key,
      this.#options.organizationId,
    ]);
  }
}

/** Numbers that are asked for at once. */
export const TOGETHER = 10_000;
