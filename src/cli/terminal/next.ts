/** After a success, the command that comes next: one line for a person at a terminal. */
import { connectionFlags } from '../flags/global.ts';
import { isForPerson, type Shown } from './output.ts';

/** `command` without the flags that choose the service, which are added; `then` is what it does, in a few words. */
export function suggestNext({ io, flags }: Shown, command: string, then?: string): void {
  if (!io.stdoutIsTerminal || !io.stderrIsTerminal || !isForPerson({ io, flags })) return;
  io.note(`Next: ${command}${connectionFlags(flags)}${then === undefined ? '' : ` (${then})`}`);
}
