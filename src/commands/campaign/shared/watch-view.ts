/** How a campaign that is watched is shown: as a picture that repaints itself, as lines, or as snapshots for a program. */
import { newsOf, type Progress, SNAPSHOT_FIELDS, snapshotOf } from '../../../calls/progress/progress.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { LivePicture } from '../../../terminal/live-picture.ts';
import { requireFields, toJsonLine } from '../../../terminal/output.ts';
import { objectOf } from '../../../text/json.ts';
import { shortTime } from '../../../text/when.ts';
import { drawAll, inOneLine } from './draw-progress.ts';

export interface View {
  /** Throws as `io.data` does. */
  show(campaigns: readonly Progress[]): Promise<void>;
  /** Leaves what is shown, and the terminal as it was. */
  end(): void;
}

/** Throws UsageError for a format that has no lines. */
export function viewOf(context: Context): View {
  const { io, flags } = context;
  const format = flags.json ? 'json' : (flags.output ?? (io.stdoutIsTerminal ? 'table' : 'ndjson'));
  if (format === 'table') {
    if (flags.fields !== undefined) {
      throw new UsageError('--fields chooses fields of snapshots, and this is a picture.', { hint: 'Add -o ndjson.' });
    }
    return io.canRepaint ? picture(context) : lines(context);
  }
  if (format !== 'json' && format !== 'ndjson') {
    throw new UsageError(`A campaign cannot be watched as ${format}.`, { hint: 'Use -o table, ndjson or json.' });
  }
  return snapshots(context);
}

function picture({ io }: Context): View {
  let shown: readonly Progress[] = [];
  const live = new LivePicture(io, ({ columns, rows }) =>
    drawAll(shown, {
      ...{ width: columns, height: rows, hasColours: io.colorsStdout, mark: io.isAscii ? '...' : '…' },
      redact: (text) => io.redactor.redact(text),
    }),
  );
  return {
    async show(campaigns) {
      shown = campaigns;
      await live.paint();
    },
    end: () => live.end(),
  };
}

/** A line whenever something has changed, for terminals that cannot repaint. */
function lines({ io }: Context): View {
  const redact = (text: string) => io.redactor.redact(text);
  return whenChanged((campaign) =>
    io.styled(`${shortTime(campaign.at, campaign.at).trimStart()}  ${inOneLine(campaign, redact)}\n`),
  );
}

function snapshots({ io, flags: { fields } }: Context): View {
  requireFields(fields, SNAPSHOT_FIELDS);
  return whenChanged((campaign) => {
    const snapshot = snapshotOf(campaign);
    const chosen = fields && objectOf(fields.map((name) => [name, snapshot[name]]));
    return io.data(toJsonLine(io, chosen ?? snapshot));
  });
}

/** What the time alone changes is no news. */
function whenChanged(show: (campaign: Progress) => Promise<void>): View {
  const known = new Map<number, string>();
  return {
    async show(campaigns) {
      for (const campaign of campaigns) {
        const news = newsOf(campaign);
        if (known.get(campaign.key) === news) continue;
        known.set(campaign.key, news);
        await show(campaign);
      }
    },
    end: () => {},
  };
}
