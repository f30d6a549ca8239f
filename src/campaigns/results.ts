/** What came of each contact of a campaign, beside its row in the file. */
import { Transcripts } from '../calls/transcripts.ts';
import type { ContactState } from '../contract.ts';
import type { VagentError } from '../errors.ts';
import type { Ports } from '../register/ports.ts';
import { CONTACT_COLUMNS, type ContactResult, type ContactRow, lastCompleted, resultOf } from './contact-results.ts';
import type { Launches, NamedLaunch } from './launches.ts';
import { type Line, linesOf, readLine } from './lines.ts';

interface Wanted {
  /** Only of the contacts in these states. */
  states: readonly ContactState[] | undefined;
  /** With the transcripts, which are kept on disk until it is known whose are wanted: at this path, or in a temporary folder. */
  transcripts: { beside: string | undefined } | undefined;
  /** Is told if the log shows fewer calls than it counts. */
  onShortage(shortage: VagentError): void;
}

/** Throws FileError if the contacts cannot be read. */
export async function resultsOf(launch: NamedLaunch, launches: Launches, ports: Ports) {
  const [line] = (await linesOf([launch], launches, ports.notes)) as [Line];
  await launch.load('all');
  const ofFile = launch.columns();
  const columns = ofFile ?? CONTACT_COLUMNS;

  /** In the order of sending. Throws FileError. */
  async function* rows(): AsyncGenerator<ContactRow, void> {
    for await (const { contact, cells = [] } of launch.sent())
      yield { contact, cells: ofFile ? cells : [contact.phone_number, contact.custom_identifiers ?? ''] };
  }

  /** Reads the log, and gives the results in the order of sending. */
  async function* results({ states, transcripts, onShortage }: Wanted): AsyncGenerator<ContactResult> {
    const kept = transcripts && new Transcripts(transcripts.beside);
    try {
      const { shortage } = await readLine(line, launches, ports, (call) => kept?.keep(call));
      if (shortage !== undefined) onShortage(shortage);
      const contacts = rows();
      for (const outcome of line.attribution.outcomesOf(launch)) {
        const row = await contacts.next();
        if (row.done) return;
        if (states?.includes(outcome.state) === false) continue;
        const result = resultOf(row.value, outcome, columns);
        yield kept === undefined ? result : { ...result, transcript: kept.of(lastCompleted(outcome)?.mark) };
      }
    } finally {
      kept?.remove();
    }
  }

  return { columns, rows, results, tally: () => line.attribution.tallyOf(launch) };
}
