// The limit that `logs export` is held against: a store's entries read, parsed and written with csv-stringify, and nothing else.
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';

const [store = '', out = ''] = process.argv.slice(2);
const COLUMNS =
  'call_id,agent_id,called_to,call_from,call_duration,call_status,call_outcome,timestamp,transcript,recording_url'.split(
    ',',
  );
const ROWS = 1000;
const calls = join(store, 'calls');
const fd = openSync(out, 'w');
writeSync(fd, stringify([COLUMNS]));
for (const name of readdirSync(calls).sort().reverse()) {
  const lines = readFileSync(join(calls, name), 'utf8').trimEnd().split('\n').reverse();
  for (let at = 0; at < lines.length; at += ROWS) {
    const entries = lines.slice(at, at + ROWS).map((line) => JSON.parse(line));
    writeSync(fd, stringify(entries, { columns: COLUMNS, record_delimiter: '\r\n' }));
  }
}
closeSync(fd);
