// What `logs export` over HTTPS is held against: the same pages, each asked for by node's own client on a new connection.
import { get } from 'node:https';

const [url = '', pages = 100, concurrency = 4] = process.argv
  .slice(2)
  .map((text, at) => (at === 0 ? text : Number(text)));

const page = (offset) =>
  new Promise((resolve, reject) => {
    get(`${url}/get-call-logs?limit=1000&offset=${offset}`, { agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve(JSON.parse(text).calls.length);
    }).on('error', reject);
  });

let next = 0;
const worker = async () => {
  while (next < pages) await page(next++ * 100);
};
await Promise.all(Array.from({ length: concurrency }, worker));
