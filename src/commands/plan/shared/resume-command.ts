/** The command with which a plan that was stopped goes on. */
import { connectionFlags, type GlobalFlags } from '../../../flags/global.ts';

export function resumeCommand(planId: number, flags: GlobalFlags): string {
  return `vagent plan resume ${planId}${connectionFlags(flags)}`;
}
