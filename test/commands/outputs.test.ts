/** What a command may write; what is refused, because it goes over a file that is kept or read, is in `refusals/outputs.cases`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandSummaries } from '../../src/program.ts';
import { Operator, ROOT } from '../support/program.ts';

test('a file is written, also beside the files of the program', async () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  expect(await operator.run(['local', 'topup', '1'])).toMatchObject({ code: 0 });
  const state = '.local/state/vagent';
  for (const out of ['calls.csv', `${state}/calls.csv`, `${state}/store/mine.csv`, 'campaigns.csv']) {
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await operator.run(['logs', 'export', '--out', out]);
      expect({ out, code, stderr }).toMatchObject({ code: 0 });
    }
  }
});

/** A new flag that names a file has to be one of these. */
test('every flag that names a file is known to be read or written', () => {
  const read = '--contacts --exclude --may-read --skip-dates --input --prompt-file --api-key-file';
  const [, ...flags] = [
    ...new Set(readFileSync(join(ROOT, 'src/commands/README.md'), 'utf8').matchAll(/(--[a-z-]+) <file>/g)),
  ].map(([, flag]) => flag);
  expect(commandSummaries().size).toBeGreaterThan(0);
  expect(
    [...new Set(flags)].filter((flag) => ![...read.split(' '), '--out', '--rejects', '--html'].includes(String(flag))),
  ).toEqual([]);
});
