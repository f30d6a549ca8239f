// A call log of some pages behind TLS and a network of 20 ms there and back; prints its URL and runs until it is stopped.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect, createServer as createRelay } from 'node:net';
import { join } from 'node:path';

const [pages = 100] = process.argv.slice(2).map(Number);
const PAGE = 100;
/** Milliseconds, each way. */
const DISTANCE = 10;
const total = pages * PAGE;
const certificate = (name) => readFileSync(join(import.meta.dirname, '../support/certificates', name));

const service = createServer(
  { key: certificate('service-key.pem'), cert: certificate('service.pem') },
  (request, response) => {
    const offset = Number(new URL(request.url, 'https://bench').searchParams.get('offset') ?? 0);
    const count = Math.max(0, Math.min(PAGE, total - offset));
    const calls = Array.from({ length: count }, (_none, at) => ({ call_id: `call_${offset + at}`, call_duration: 42 }));
    response.end(JSON.stringify({ success: true, calls, total, limit: count, offset }));
  },
);

service.listen(0, '127.0.0.1', () => {
  const { port } = service.address();
  // To open a connection takes a way there and back, too.
  createRelay({ pauseOnConnect: true, noDelay: true }, (near) => {
    setTimeout(() => {
      const far = connect({ port, host: '127.0.0.1', noDelay: true });
      late(near, far);
      late(far, near);
    }, 2 * DISTANCE);
  }).listen(0, '127.0.0.1', function () {
    process.stdout.write(`https://127.0.0.1:${this.address().port}\n`);
  });
});

function late(from, to) {
  from.on('error', () => to.destroy());
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), DISTANCE));
  from.on('end', () => setTimeout(() => to.end(), DISTANCE));
  from.resume();
}
