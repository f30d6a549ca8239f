/** The recording that the README shows: it is what `npm run record` draws, and it only plays. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/program.ts';

const SVG = readFileSync(join(ROOT, 'samples/recording.svg'), 'utf8');
const MAIN_JOB = [
  'contacts check',
  'plan create',
  'plan rehearse',
  'plan run',
  'plan status',
  'plan results',
  'logs stats',
];

test('the README shows it', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('](samples/recording.svg)');
});

test.each(MAIN_JOB)('vagent %s is typed', (command) => {
  expect(SVG).toMatch(new RegExp(`<text [^>]*>\\$ vagent ${command}[ <]`));
});

test('it has text that can be selected, no script, and nothing from elsewhere', () => {
  expect(SVG).not.toMatch(/<script|<foreignObject|<image|javascript:|\bon[a-z]+=|@import|url\((?!#)|user-select/i);
  expect(SVG.match(/https?:\/\/(?!www\.w3\.org\/2000\/svg")[^"<]*/g)).toBeNull();
  expect(SVG.length).toBeLessThan(150_000);
});

test('somebody who wants no motion sees the last screen', () => {
  expect(SVG).toContain('prefers-reduced-motion:reduce');
});
