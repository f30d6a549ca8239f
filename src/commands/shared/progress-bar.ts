/** How much of a campaign is done, in a cell of a table. */

const WIDTH = 20;

/** A bar and a percentage. Rounded down, so that only a campaign that is done shows 100 %. */
export function progressBar(done: number, total: number, width = WIDTH): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.floor(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(100 * share)} %`;
}
