/** A reporter of vitest: the twenty files that took longest, as a table. */
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 20;

export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slowest = modules.toSorted((one, other) => seconds(other) - seconds(one)).slice(0, SHOWN);
    const lines = slowest.map((module) => {
      const cases = [...module.children.allTests()].length;
      return `${seconds(module).toFixed(1).padStart(8)}  ${String(cases).padStart(5)}  ${module.relativeModuleId}\n`;
    });
    process.stdout.write(`\n seconds  cases  file\n${lines.join('')}`);
  }
}

function seconds(module: TestModule): number {
  return module.diagnostic().duration / 1000;
}
