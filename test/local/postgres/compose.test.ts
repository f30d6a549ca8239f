/** The sample of a team's sandbox, as far as it can be judged without Docker. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../support/program.ts';

const COMPOSE = readFileSync(join(ROOT, 'samples/compose.yaml'), 'utf8');
const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };

test('copies nothing that the package does not have', () => {
  const copied = [...COMPOSE.matchAll(/^ *COPY (\S+) /gm)].map(([, path]) => path as string);
  const packed = ['package.json', ...files.map((path) => path.split('/')[0])];
  expect(copied).toEqual(expect.arrayContaining(['bin', 'dist']));
  expect(copied.filter((path) => !packed.includes(path))).toEqual([]);
  expect(COMPOSE).not.toMatch(/npm ci|RUN .*npm run build/);
});

test('asks for addresses anew where servers restart, and waits for a database that listens for others', () => {
  expect(COMPOSE).toMatch(/resolver \S+ valid=\d+s;\n *set \$\$(\w+) serve;.*proxy_pass http:\/\/\$\$\1:8787;/s);
  expect(COMPOSE).toMatch(/pg_isready --host 127\.0\.0\.1 /);
});
