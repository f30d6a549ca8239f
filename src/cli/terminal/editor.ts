/** Lets a person write a text in the editor of `$VISUAL` or `$EDITOR`. */
import { PassThrough, Writable } from 'node:stream';
import { editor } from '@inquirer/prompts';
import { InterruptedError } from '../../errors.ts';
import type { Io } from './io.ts';

/** Only the person may read the file while it is edited. */
const FILE_MODE = 0o600;

/**
 * The text as it was saved, without line breaks at its end. Undefined, with a note that says why, if the editor cannot be run,
 * or leaves the text empty or unchanged. Throws InterruptedError at Ctrl-C.
 */
export async function fromEditor(io: Io, what: string, before: string): Promise<string | undefined> {
  const failure = new AbortController();
  let fault = '';
  // The library would show the failure and start the same editor again at Enter.
  const error = (text: string) => {
    fault = text.replace(/^\w+: (Failed to launch editor\. )?/, '').replace(/^spawn (.*) ENOENT$/, '$1 is not there');
    failure.abort();
    return '';
  };
  try {
    // The terminal belongs to the editor meanwhile, so nothing is read from it or shown on it.
    const where = {
      input: new PassThrough(),
      output: new Writable({ write: (_chunk, _encoding, done) => done() }),
      signal: AbortSignal.any([io.signal, failure.signal]),
    };
    const file = { postfix: '.txt', mode: FILE_MODE };
    const text = await editor(
      { message: what, default: before, waitForUserInput: false, file, theme: { style: { error } } },
      where,
    );
    const edited = text.replace(/\r\n|\r/g, '\n').replace(/\n+$/, '');
    if (edited.trim() !== '' && edited !== before) return edited;
    io.error(edited.trim() === '' ? 'The editor left no text.' : 'The editor left the text as it was.');
  } catch (error) {
    if (io.signal.aborted) throw new InterruptedError();
    if (!failure.signal.aborted) throw error;
    io.error(`The editor cannot be used: ${fault}. Set EDITOR to one that is installed, or type the text here.`);
  }
  return undefined;
}
