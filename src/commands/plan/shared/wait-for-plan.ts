/** Changes a plan as soon as nobody else does: a step of `plan run` may take as long as its service lets it wait. */
import type { Context } from '../../../context.ts';
import { FileError } from '../../../errors.ts';
import type { PlanFolder } from '../../../plans/folder/plan-folder.ts';
import type { PlanSession } from '../../../plans/folder/session.ts';

/** Milliseconds after which it is said that somebody is waited for, and after which nobody is waited for any more. */
const QUIETLY = 1000;
const LONGEST = 600_000;

/** `meanwhile`: what is true already, for who waits. */
export async function changeWhenFree<T>(
  folder: PlanFolder,
  body: (session: PlanSession) => Promise<T>,
  { io }: Context,
  meanwhile = '',
): Promise<T> {
  try {
    return await folder.change(body, QUIETLY);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'file_locked') throw error;
    const holder = error.message.replace(/; waited .*$/, '');
    io.note(`${holder}: waiting until its step is done.${meanwhile === '' ? '' : ` ${meanwhile}`}`);
    return folder.change(body, LONGEST);
  }
}
