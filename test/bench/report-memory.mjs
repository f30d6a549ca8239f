// Preloaded into a measured process: leaves its peak memory, in megabytes, in the file that the environment names.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const kilobytes = process.resourceUsage().maxRSS;
  if (process.env.VAGENT_BENCH_MEMORY) writeFileSync(process.env.VAGENT_BENCH_MEMORY, String(kilobytes / 1024));
});
