/** How a campaign that is watched is shown. */
import { newsOf, type Progress, SNAPSHOT_FIELDS, snapshotOf } from '../../../calls/progress/progress.ts';
import type { Watchable } from '../../shared/live-view.ts';
import { drawAll, inOneLine } from './draw-progress.ts';

export const CAMPAIGN_VIEW: Watchable<Progress> = {
  name: 'A campaign',
  keyOf: ({ key }) => key,
  timeOf: ({ at }) => at,
  newsOf,
  draw: drawAll,
  inOneLine,
  fields: SNAPSHOT_FIELDS,
  snapshotOf: (campaign) => ({ ...snapshotOf(campaign) }),
};
