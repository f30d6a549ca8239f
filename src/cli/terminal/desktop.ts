/** Opens a file in the program that the desktop has for it. */
import { spawn } from 'node:child_process';
import type { Environment } from './environment.ts';

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };

/** Whether a program was started for it: not without a desktop, as over most remote connections. */
export async function openedOnDesktop(path: string, env: Environment): Promise<boolean> {
  const hasDesktop = OPENERS[process.platform] !== undefined || env.DISPLAY || env.WAYLAND_DISPLAY;
  if (!hasDesktop) return false;
  const [program = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, path], { detached: true, stdio: 'ignore', env });
  child.unref();
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('spawn', () => resolve(true));
  });
}
