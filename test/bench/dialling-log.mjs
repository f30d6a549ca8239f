// A service that calls the contacts of every campaign at its pace, each once; prints its URL and runs until it is stopped.
// Its clock stands where a POST to /clock puts it, in milliseconds since the epoch; calls to come are not in its log yet.
import { createServer } from 'node:http';

const STATUSES = ['completed', 'completed', 'completed', 'busy', 'no_answer'];
const MOST = 8_000_000;
const phones = new Float64Array(MOST);
const times = new Float64Array(MOST);
let calls = 0;
let campaigns = 0;
let now = 0;

/** The first call at or after an instant; they are in the order of time. */
function firstSince(instant) {
  let [from, to] = [0, calls];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (times[middle] < instant) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The page of a log that has the newest calls first. */
function page(first, until, offset, limit) {
  const shown = [];
  for (let at = until - 1 - offset; at >= Math.max(first, until - offset - limit); at--) {
    const call_status = STATUSES[(phones[at] + at) % STATUSES.length];
    const isCompleted = call_status === 'completed';
    shown.push({
      call_id: `call_${at}`,
      agent_id: 1,
      called_to: `+${phones[at]}`,
      call_from: '+14155550100',
      call_status,
      call_duration: isCompleted ? 40 + (at % 90) : 0,
      call_outcome: isCompleted ? 'callback_requested' : 'not_connected',
      transcript: isCompleted
        ? 'Agent: Hello, this is Ava. User: Hello, who is there? Agent: It is about your check-up.'
        : '',
      timestamp: new Date(times[at]).toISOString(),
    });
  }
  return shown;
}

function place({ contacts, start_time, calls_per_hour }) {
  const start = Date.parse(start_time);
  const isLast = calls === 0 || start >= times[calls - 1];
  for (const [at, { phone_number }] of contacts.entries()) {
    phones[calls] = Number(phone_number.slice(1));
    times[calls++] = start + Math.floor((at * 3_600_000) / calls_per_hour);
  }
  if (!isLast) sort();
}

/** Campaigns that overlap call in turns. */
function sort() {
  const order = Array.from({ length: calls }, (_none, at) => at).sort((one, other) => times[one] - times[other]);
  for (const column of [phones, times]) column.set(order.map((at) => column[at]));
}

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://bench');
  response.setHeader('date', new Date(now).toUTCString());
  const answer = (body) => response.end(JSON.stringify({ success: true, ...body }));
  if (pathname.endsWith('/get-agents')) return answer({ agents: [{ agent_id: 1, status: 'active' }], total: 1 });
  if (request.method === 'POST') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    return request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      if (pathname === '/clock') {
        now = body.now;
        return answer({});
      }
      place(body);
      answer({ campaign_id: ++campaigns, status: 'running' });
    });
  }
  const [offset, limit] = [
    Number(searchParams.get('offset') ?? 0),
    Math.min(1000, Number(searchParams.get('limit') ?? 100)),
  ];
  const first = firstSince(Date.parse(searchParams.get('start_date') ?? '1970-01-01'));
  const until = firstSince(now + 1);
  const shown = page(first, until, offset, limit);
  answer({ calls: shown, total: until - first, limit: shown.length, offset });
}).listen(0, '127.0.0.1', function () {
  process.stdout.write(`http://127.0.0.1:${this.address().port}\n`);
});
