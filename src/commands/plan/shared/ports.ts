/** What the library is handed for the work on plans. */
import { sourceName } from '../../../cli/terminal/io.ts';
import { readExclusions } from '../../../contacts/rows/exclusion-list.ts';
import type { Context } from '../../../context.ts';
import type { PlanPorts } from '../../../plans/run/ports.ts';
import { storeName } from '../../../storage/files/store-place.ts';
import { unclearInWords } from './plan-words.ts';

export function planPorts(context: Context): PlanPorts {
  const { settings, io, flags, notes, signal, clock, services, local, register } = context;
  return {
    ...{ notes, signal, clock, services, local, register },
    store: { key: () => settings.storeKey(), name: () => storeName(settings.store()) },
    lists: {
      async read(path, country) {
        const bytes = io.chunks(path, '--exclude');
        return (await readExclusions(bytes, sourceName(path), { country, encoding: undefined })).numbers;
      },
      folder: () => settings.stateFolder(),
    },
    onUnclear(planId, calls) {
      const said = `${unclearInWords(calls)} vagent plan status ${planId} keeps count of them.`;
      // It is said once, and then perhaps only to cron.
      if (flags.quiet) io.error(`Warning: ${said}`);
      else io.warn(said);
    },
  };
}

/** The same for work that may take long: with --json notes are held back for the end, and these are not. */
export function portsWithoutDelay(context: Context): PlanPorts {
  const { io, notes } = context;
  const saying = (say: (text: string) => void) => (text: string) => {
    say(text);
    io.releaseNotes();
  };
  return { ...planPorts(context), notes: { ...notes, note: saying(notes.note), warn: saying(notes.warn) } };
}
