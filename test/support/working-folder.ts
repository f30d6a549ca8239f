/**
 * The working folder of this process. It has only one: work that shares a folder runs side by side there, other work waits until
 * that is done, and nothing overtakes what waits.
 */

interface Work {
  folder: string;
  isShared: boolean;
  begin(): void;
}

let current: Work | undefined;
let running = 0;
const waiting: Work[] = [];

export async function withinFolder<T>(folder: string, isShared: boolean, work: () => Promise<T>): Promise<T> {
  await new Promise<void>((begin) => {
    waiting.push({ folder, isShared, begin });
    beginWhatMay();
  });
  try {
    return await work();
  } finally {
    running -= 1;
    beginWhatMay();
  }
}

function beginWhatMay(): void {
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    const fits = next.isShared && current?.isShared && next.folder === current.folder;
    if (running > 0 && !fits) return;
    if (next.folder !== current?.folder) process.chdir(next.folder);
    current = next;
    running += 1;
    waiting.shift();
    next.begin();
  }
}
