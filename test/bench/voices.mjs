// A service with some voices behind HTTP; prints its URL and runs until it is stopped.
import { createServer } from 'node:http';

const voices = Array.from({ length: 40 }, (_none, at) => ({
  voice_id: at + 1,
  voice_name: `Voice ${at}`,
  language: 'en',
}));
const answer = JSON.stringify({ success: true, voices, total: voices.length });

createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1', function () {
  process.stdout.write(`http://127.0.0.1:${this.address().port}\n`);
});
