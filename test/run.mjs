// `npm test`: the build, then types, lint and tests side by side. What fails shows its output, and fails the whole.
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

const CHECKS = {
  types: ['tsc'],
  lint: ['biome', 'check', '.'],
};

/** The exit code of a command of this package, and what it printed where it does not print for itself. */
async function run([command, ...args], stdio) {
  const child = spawn(command, args, { stdio: ['ignore', stdio, stdio], shell: process.platform === 'win32' });
  const printed = stdio === 'pipe' ? Promise.all([buffer(child.stdout), buffer(child.stderr)]) : [];
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, text: Buffer.concat(await printed).toString() };
}

const built = await run(['npm', 'run', '--silent', 'build'], 'inherit');
if (built.code !== 0) process.exit(1);

const checks = Object.entries(CHECKS).map(async ([name, command]) => ({ name, ...(await run(command, 'pipe')) }));
const tests = run(['vitest', 'run', '--config', 'test/vitest.config.ts', ...process.argv.slice(2)], 'inherit');
const ended = await Promise.all([...checks, tests.then(({ code }) => ({ name: 'tests', code, text: '' }))]);

for (const { name, code, text } of ended) {
  if (code !== 0) process.stdout.write(`\n${name} failed:\n${text}`);
}
process.exitCode = ended.every(({ code }) => code === 0) ? 0 : 1;
