/** What came of each contact of a campaign, beside its row in the file. */
import { markOf } from '../calls/paging/identity.ts';
import type { CallLogEntry, ContactState } from '../contract.ts';
import type { VagentError } from '../errors.ts';
import type { Ports } from '../register/ports.ts';
import { systemFiles } from '../storage/files/file-system.ts';
import { KeptTexts, type TextPlace, temporaryFolder } from '../storage/files/kept-texts.ts';
import { plainText } from '../text/csv.ts';
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

/** Transcripts on disk until it is known which of them are wanted, so that they need not fit into memory. */
class Transcripts {
  readonly #texts: KeptTexts;
  readonly #folder: ReturnType<typeof temporaryFolder> | undefined;
  /** By the mark of the entry. */
  readonly #places = new Map<string, TextPlace>();

  /** `beside`: the path of a file that is being written; without one, they are kept in a folder of the system's. */
  constructor(beside: string | undefined) {
    this.#folder = beside === undefined ? temporaryFolder() : undefined;
    this.#texts = new KeptTexts(systemFiles, this.#folder?.file('transcripts') ?? `${beside}.transcripts`);
  }

  /** The last one that is kept of an entry counts. */
  keep(call: CallLogEntry): void {
    const text = plainText(call.transcript);
    if (text === '') this.#places.delete(markOf(call));
    else this.#places.set(markOf(call), this.#texts.add(text));
  }

  /** Null if there is none. Throws system errors. */
  of(mark: string | undefined): string | null {
    const place = this.#places.get(mark ?? '');
    return place === undefined ? null : this.#texts.at(place);
  }

  remove(): void {
    this.#texts.remove();
    this.#folder?.remove();
  }
}
