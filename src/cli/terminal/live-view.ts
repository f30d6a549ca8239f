/** How something that is watched is shown: as a picture that repaints itself, as lines, or as snapshots for a program. */

import { UsageError } from '../../errors.ts';
import { objectOf } from '../../text/json.ts';
import { shortTime } from '../../text/when.ts';
import { type Drawing, drawingAt } from './drawing.ts';
import { LivePicture } from './live-picture.ts';
import { requireFields, type Shown, toJsonLine } from './output.ts';

export interface View<T> {
  /** Throws as `io.data` does. */
  show(items: readonly T[]): Promise<void>;
  /** Leaves what is shown, and the terminal as it was. */
  end(): void;
}

/** What is watched: `a campaign`, and how one is shown. */
export interface Watchable<T> {
  name: string;
  /** Tells items apart. */
  keyOf(item: T): number;
  /** When it was as it is, in milliseconds since the epoch. */
  timeOf(item: T): number;
  /** Changes whenever something has changed; what the time alone changes is no news. */
  newsOf(item: T): string;
  draw(items: readonly T[], drawing: Drawing): string[];
  inOneLine(item: T, redact: (text: string) => string): string;
  fields: readonly string[];
  snapshotOf(item: T): Record<string, unknown>;
}

/** Throws UsageError for a format that has no lines. */
export function liveView<T>(watchable: Watchable<T>, shown: Shown): View<T> {
  const { io, flags } = shown;
  const format = flags.json ? 'json' : (flags.output ?? (io.stdoutIsTerminal ? 'table' : 'ndjson'));
  if (format === 'table') {
    if (flags.fields !== undefined) {
      throw new UsageError('--fields chooses fields of snapshots, and this is a picture.', { hint: 'Add -o ndjson.' });
    }
    return io.canRepaint ? picture(watchable, shown) : lines(watchable, shown);
  }
  if (format !== 'json' && format !== 'ndjson') {
    throw new UsageError(`${watchable.name} cannot be watched as ${format}.`, {
      hint: 'Use -o table, ndjson or json.',
    });
  }
  return snapshots(watchable, shown);
}

function picture<T>({ draw }: Watchable<T>, { io }: Shown): View<T> {
  let shown: readonly T[] = [];
  const live = new LivePicture(io, (size) => draw(shown, drawingAt(io, size)));
  return {
    async show(items) {
      shown = items;
      await live.paint();
    },
    end: () => live.end(),
  };
}

/** A line whenever something has changed, for terminals that cannot repaint. */
function lines<T>(watchable: Watchable<T>, { io }: Shown): View<T> {
  const redact = (text: string) => io.redactor.redact(text);
  return whenChanged(watchable, (item) => {
    const at = watchable.timeOf(item);
    return io.styled(`${shortTime(at, at).trimStart()}  ${watchable.inOneLine(item, redact)}\n`);
  });
}

function snapshots<T>(watchable: Watchable<T>, { io, flags: { fields } }: Shown): View<T> {
  requireFields(fields, watchable.fields);
  return whenChanged(watchable, (item) => {
    const snapshot = watchable.snapshotOf(item);
    const chosen = fields && objectOf(fields.map((name) => [name, snapshot[name]]));
    return io.data(toJsonLine(io, chosen ?? snapshot));
  });
}

function whenChanged<T>({ keyOf, newsOf }: Watchable<T>, show: (item: T) => Promise<void>): View<T> {
  const known = new Map<number, string>();
  return {
    async show(items) {
      for (const item of items) {
        const news = newsOf(item);
        if (known.get(keyOf(item)) === news) continue;
        known.set(keyOf(item), news);
        await show(item);
      }
    },
    end: () => {},
  };
}
