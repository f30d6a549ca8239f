// A service that accepts a campaign, and whose log then grows; prints its URL and runs until it is stopped.
// growing-log.mjs <contacts> <calls at once> <calls a second>
import { createServer } from 'node:http';

const [contacts, first, perSecond] = process.argv.slice(2).map(Number);
const STATUSES = ['completed', 'completed', 'completed', 'busy', 'no_answer'];
let calls = 0;
let begun = 0;

/** The page of a log that has the newest calls first, as JSON. */
function page(offset, limit) {
  const shown = [];
  for (let at = calls - 1 - offset; at >= Math.max(0, calls - offset - limit); at--) {
    const call_status = STATUSES[at % STATUSES.length];
    const isCompleted = call_status === 'completed';
    shown.push({
      call_id: `call_${at}`,
      agent_id: 3,
      called_to: `+1415${5_560_000 + (at % contacts)}`,
      call_from: '+14155550100',
      call_status,
      call_duration: isCompleted ? 40 + (at % 90) : 0,
      call_outcome: isCompleted ? 'callback_requested' : 'not_connected',
      transcript: isCompleted ? 'Agent: Hello. User: Hello.' : '',
      timestamp: new Date(begun + (at * 1000) / perSecond).toISOString(),
    });
  }
  return shown;
}

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://bench');
  const answer = (body) => response.end(JSON.stringify({ success: true, ...body }));
  if (pathname.endsWith('/get-agents')) return answer({ agents: [{ agent_id: 3, status: 'active' }], total: 1 });
  if (request.method === 'POST') {
    request.resume().on('end', () => {
      answer({ campaign_id: 9, status: 'running' });
      // The first ones were as fast as those that come.
      begun = Date.now() - (first * 1000) / perSecond;
      calls = first;
      setInterval(() => calls++, 1000 / perSecond);
    });
    return;
  }
  const offset = Number(searchParams.get('offset') ?? 0);
  const shown = page(offset, Math.min(1000, Number(searchParams.get('limit') ?? 100)));
  answer({ calls: shown, total: calls, limit: shown.length, offset });
}).listen(0, '127.0.0.1', function () {
  process.stdout.write(`http://127.0.0.1:${this.address().port}\n`);
});
