declare module 'pgpass' {
  import type { Writable } from 'node:stream';

  namespace pgpass {
    interface Connected {
      host: string;
      port: number;
      database: string;
      user: string;
    }
    /** Where it says why it does not read the file. */
    function warnTo(stream: Writable): void;
  }
  /** Undefined if there is none for this connection. */
  function pgpass(of: pgpass.Connected, done: (password: string | undefined) => void): void;
  export = pgpass;
}
