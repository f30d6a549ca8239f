/** Which files of tests begin: those that take long, so that no worker ends with one of them alone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files, and the folders of other long ones (`npm run test:times`), the longest first. */
const LONG = [
  ...['refusals.', 'docs.', 'transcripts.', 'faults/register-kill.', 'plans/worlds.', 'terminal/flows.', 'sessions/'],
  ...['faults/', 'register/', 'contacts/read/', 'calls/', 'hostile/', 'local/', 'plans/', 'terminal/', 'conformance.'],
  ...['campaigns/attribution/', 'memory.', 'screens.', 'contacts/', 'remote/', 'commands/'],
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
