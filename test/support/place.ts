/**
 * The working folder and the time zone of this process. It has only one of each: work that shares them runs side by side, other
 * work waits until that is done, and nothing overtakes what waits.
 */

export interface Place {
  folder: string;
  zone: string;
  /** Whether other work of this place may run beside it. */
  isShared: boolean;
}

interface Work extends Place {
  begin(): void;
}

let current: Work | undefined;
let running = 0;
const waiting: Work[] = [];

export async function withinPlace<T>(place: Place, work: () => Promise<T>): Promise<T> {
  await new Promise<void>((begin) => {
    waiting.push({ ...place, begin });
    beginWhatMay();
  });
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) useZone('UTC');
    beginWhatMay();
  }
}

function beginWhatMay(): void {
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    const isSame = next.folder === current?.folder && next.zone === current.zone;
    const fits = isSame && next.isShared && current?.isShared;
    if (running > 0 && !fits) return;
    if (next.folder !== current?.folder) process.chdir(next.folder);
    useZone(next.zone);
    current = next;
    running += 1;
    waiting.shift();
    next.begin();
  }
}

function useZone(zone: string): void {
  if (zone !== process.env.TZ) process.env.TZ = zone;
}
