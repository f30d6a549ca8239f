/** Which files of tests begin: those that take long, so that no worker ends with one of them alone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files, and the folders of other long ones (`npm run test:times`), the longest first. */
const LONG = [
  'plans/worlds.',
  'local/postgres/',
  'state/',
  'docs.',
  'faults/',
  'sessions/',
  'remote/',
  'hostile/',
  'contacts/',
  'commands/',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = LONG.findIndex((beginning) => moduleId.includes(`/test/${beginning}`));
  return at === -1 ? LONG.length : at;
}
