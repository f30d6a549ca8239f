/** What was sent from here to one service and organization, as far as the call log can show it. */

/** Instants in milliseconds since the epoch, by the service's clock. Both ends are included. */
export interface Span {
  from: number;
  until: number;
}

export interface LaunchedCampaign {
  /** The register's entry, or the id on the local engine: unique, and rising in the order of sending. */
  key: number;
  /** Undefined while the service has not named it. */
  campaignId: number | undefined;
  agentId: number;
  /** E.164. */
  from: string;
  /** When its first call is expected. */
  start: number;
  /** When its calls can be made: nothing is claimed outside. */
  span: Span;
  callsPerHour: number;
  /** The most attempts for one contact: the first and the retries. */
  attempts: number;
  /** The least milliseconds between two attempts for one contact. */
  retryDelay: number;
  contacts: LaunchedContacts;
  /** Whether the service is known to make no more calls for it, before the end of its span. */
  isOver?: boolean;
}

export interface LaunchedContacts {
  /** Keys of the phones (`phoneKeyOfDigits`) in the order of sending; a number may come twice. */
  phones: Float64Array;
  /** Undefined for a contact without an identifier. */
  identifierOf(row: number): string | undefined;
}

export interface LaunchedCall {
  /** The register's entry: unique among calls and campaigns. */
  key: number;
  agentId: number;
  /** E.164. */
  from: string;
  /** E.164. */
  to: string;
  identifier: string | undefined;
  /** When it was sent. */
  start: number;
  /** When its entry can have been made. */
  span: Span;
}
