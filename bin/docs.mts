/** Writes the manual page and the reference of the commands: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { documents } from './docs/documents.mts';

const written = await documents(new Date().toISOString().slice(0, 10));
for (const [path, text] of Object.entries(written)) {
  writeFileSync(resolve(import.meta.dirname, '..', path), text);
  process.stdout.write(`${path}\n`);
}
