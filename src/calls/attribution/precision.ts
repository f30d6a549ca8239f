/** How precisely a log tells its times: some services round them to seconds, to minutes, or to five minutes, up or down. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Milliseconds, the coarsest first. */
const STEPS = [5 * MINUTE, MINUTE, SECOND, 1];

export class Precision {
  /** Of the steps, the coarsest one that all times so far are multiples of; milliseconds. */
  step = STEPS[0] as number;

  /** Instants in milliseconds. */
  take(at: number): void {
    while (at % this.step !== 0) this.step = STEPS[STEPS.indexOf(this.step) + 1] ?? 1;
  }

  /** Milliseconds by which a call may have been made earlier or later than is shown: a second more or less is within every span. */
  get margin(): number {
    return this.step > SECOND ? this.step : 0;
  }
}
