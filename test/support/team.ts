/** Operators at machines of their own, who call through one service and share a register. */
import { join } from 'node:path';
import { type PlannedService, plannedService } from './planned-service.ts';
import { Operator, type Outcome, type RunOptions } from './program.ts';

export interface Machine {
  operator: Operator;
  /** The folder of its copy of the register; there is one. */
  state: string;
  /** A command at the service's time. */
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** The same, of a command that must succeed. */
  does(...args: string[]): Promise<string>;
}

export interface Team {
  service: PlannedService;
  /** Another machine with the same register. */
  machine(register?: string): Machine;
}

/** `register` is the address of a database. */
export async function team(register: string, seed = 1): Promise<Team> {
  const service = await plannedService({ seed });
  return { service, machine: (address = register) => machineOf(service, address) };
}

function machineOf({ url, engine }: PlannedService, register: string): Machine {
  const env = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key', VAGENT_REGISTER: register };
  const operator = new Operator({ env });
  const run = (args: readonly string[], options: RunOptions = {}) =>
    operator.run(args, { frozenAt: new Date(engine.clock.now).toISOString(), cwd: operator.home, ...options });
  return {
    operator,
    state: join(operator.home, '.local/state/vagent'),
    run,
    async does(...args) {
      const { code, stdout, stderr } = await run(args);
      if (code !== 0) throw new Error(`vagent ${args.join(' ')} exited with ${code}: ${stderr}`);
      return stdout;
    },
  };
}

/** Arguments of a campaign of the contacts in a file. */
export function campaignOf(file: string, ...more: string[]): string[] {
  const campaign = ['--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--start', '2030-01-01T10:00:00Z'];
  return ['campaign', 'create', '--contacts', file, ...campaign, '--yes', ...more];
}

/** Arguments of a plan for the contacts in a file. */
export function planOf(file: string, ...more: string[]): string[] {
  const rules = ['--agent', '1', '--from', '+14155550100', '--window', '00:00-24:00', '--zone', 'UTC'];
  return ['plan', 'create', '--name', 'Spring', '--contacts', file, ...rules, '--yes', ...more];
}

export function callTo(number: string, ...more: string[]): string[] {
  return ['call', number, '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--yes', ...more];
}
