/** The lists of --exclude that this machine's operator has named. A path in a row that others may write is opened only if it is one of them. */
import { join } from 'node:path';
import type { Context } from '../../../context.ts';
import { InputError } from '../../../errors.ts';
import { withFileErrors } from '../../../files/file-error.ts';
import { systemFiles } from '../../../files/file-system.ts';
import { makePrivateFolder } from '../../../files/folder.ts';
import { readText } from '../../../files/open.ts';
import { replaceFile } from '../../../files/replace.ts';
import { connectionFlags } from '../../../flags/global.ts';
import type { Plan } from '../../../plans/plan.ts';
import { parsed, textsIn } from '../../../text/parsed.ts';
import { shellWord } from '../../../text/shell.ts';

function fileOf({ settings }: Context): string {
  return join(settings.stateFolder(), 'lists.json');
}

/** Durable when it returns. Throws FileErrors. */
export function showLists(lists: readonly string[], context: Context): void {
  const path = fileOf(context);
  const shown = shownLists(context);
  if (lists.every((list) => shown.includes(list))) return;
  withFileErrors('write', path, () => {
    makePrivateFolder(systemFiles, context.settings.stateFolder());
    replaceFile(systemFiles, path, JSON.stringify([...new Set([...shown, ...lists])]));
  });
}

function shownLists(context: Context): string[] {
  try {
    return textsIn(parsed(readText(systemFiles, fileOf(context)))) ?? [];
  } catch {
    // Where it is absent they are shown again, and where it is damaged.
    return [];
  }
}

/** Throws InputError if one of the plan's lists may be a path that a colleague has written into its row. */
export async function requireShown({ plan_id, rules: { exclude } }: Plan, context: Context): Promise<void> {
  if (exclude.length === 0 || !(await context.rows()).isShared) return;
  const shown = shownLists(context);
  const list = exclude.find((path) => !shown.includes(path));
  if (list === undefined) return;
  const hint = `vagent plan rehearse ${plan_id} --may-read ${shellWord(list)}${connectionFlags(context.flags)}`;
  throw new InputError(
    `The list of numbers never to call of plan ${plan_id}, ${list}, was never named on this machine: it was not opened. Nothing was sent.`,
    { code: 'list_not_shown', hint: `If it is a list, and may be read here: ${hint}` },
  );
}
