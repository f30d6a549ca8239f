// A call log of some pages behind HTTP, each answered after some milliseconds; prints its URL and runs until it is stopped.
import { createServer } from 'node:http';

const [pages = 50, latency = 100] = process.argv.slice(2).map(Number);
const PAGE = 100;
const total = pages * PAGE;
const call = (at) => ({
  call_id: `call_${at}`,
  call_status: 'completed',
  transcript: 'Agent: Hello.',
  call_duration: 42,
});

createServer((request, response) => {
  const offset = Number(new URL(request.url, 'http://bench').searchParams.get('offset') ?? 0);
  const count = Math.max(0, Math.min(PAGE, total - offset));
  const calls = Array.from({ length: count }, (_none, at) => call(offset + at));
  setTimeout(() => response.end(JSON.stringify({ success: true, calls, total, limit: count, offset })), latency);
}).listen(0, '127.0.0.1', function () {
  process.stdout.write(`http://127.0.0.1:${this.address().port}\n`);
});
