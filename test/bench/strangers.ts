/**
 * What one request without a right key costs `vagent serve`: the longest that another request had to wait meanwhile (at most
 * a second), and the memory at the peak (at most 1,000 MB), for bodies that are as large as they may be and worse.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { measureIn, say, sizeOf, type Workplace } from './workplace.ts';

const BYTES = sizeOf('BYTES', 250_000_000);

interface Shape {
  head?: string;
  /** What is repeated until there are enough bytes. */
  part: string;
  tail?: string;
  headers?: string[];
  /** Where so many do not come in the time that a request has. */
  bytes?: number;
}

const KEY = '"organization_id":1,"api_key":"wrong"';
const fields = `${KEY},"campaign_name":"a","agent_id":1,"call_from":"+14155550100"`;
const line = `Hello, this is ${'x'.repeat(200)}.`;
const contact = `{"phone_number":"+14155550190","custom_first_line":"${line}","custom_identifiers":"crm-1"},`;

const shapes: Record<string, Shape> = {
  contacts: { head: `{${fields},"contacts":[`, part: contact, tail: '{}]}' },
  'contacts, key last': { head: '{"contacts":[', part: contact, tail: `{}],${fields}}` },
  '[[],[],…]': { head: '[', part: '[],', tail: '[]]' },
  'contacts: [[],[],…]': { head: `{${fields},"contacts":[`, part: '[],', tail: '[]]}' },
  'contacts: [1,1,…]': { head: `{${fields},"contacts":[`, part: '1,', tail: '1]}' },
  'contacts: ["","",…]': { head: `{${fields},"contacts":[`, part: '"",', tail: '""]}' },
  'contacts: [ ]': { head: `{${fields},"contacts":[`, part: ' ', tail: ']}' },
  'deep arrays': { part: '[' },
  'deep objects': { part: '{"a":' },
  'one key again and again': { head: `{${fields}`, part: ',"a":1', tail: '}' },
  'a long name': { head: `{${fields},"`, part: 'a', tail: '":1}' },
  'a long text': { head: `{${fields},"contacts":[{"phone_number":"`, part: 'a', tail: '"}]}' },
  'a long text of escapes': { head: `{${fields},"contacts":"`, part: '\\u00e9', tail: '"}' },
  'a long text in Chinese': { head: `{${fields},"campaign_name":"`, part: '漢字', tail: '"}' },
  'a long number': { head: `{${fields},"contacts":`, part: '1', tail: '}' },
  spaces: { part: ' ' },
  zeros: { part: '\0' },
  'chunks of a byte': {
    ...{ head: '{"a":"', part: 'x', tail: '"}', headers: ['transfer-encoding: chunked'], bytes: BYTES / 10 },
  },
  'gzip announced': { part: '[],', headers: ['content-encoding: gzip'] },
};

await measureIn(async (place) => {
  say(`a request of ${BYTES} bytes without a right key`);
  for (const [name, shape] of Object.entries(shapes)) await measure(place, name, shape);
});

async function measure(place: Workplace, name: string, shape: Shape): Promise<void> {
  const { url, pid } = await place.serve(place.path('store'));
  const asked = `${url}/get-voices?organization_id=1&api_key=local-demo-key&language=xx`;
  for (let warm = 0; warm < 20; warm++) await (await fetch(asked)).text();
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  let isOver = false;
  const started = performance.now();
  const status = send(new URL(url).port, shape).finally(() => (isOver = true));
  let longest = 0;
  while (!isOver) {
    const began = performance.now();
    await (await fetch(asked)).text();
    longest = Math.max(longest, performance.now() - began);
    await sleep(10);
  }
  const took = performance.now() - started;
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  const figures = `after ${took.toFixed(0)} ms; another waited ${longest.toFixed(0)} ms at most, ${peak.toFixed(0)} MB`;
  say(`  ${name.padEnd(24)} ${await status}, ${figures}`);
  place.stop();
}

/** Resolves with the status of the answer. */
function send(port: string, { head = '', part, tail = '', headers = [], bytes = BYTES }: Shape): Promise<string> {
  const times = Math.floor((bytes - head.length - tail.length) / Buffer.byteLength(part));
  const isChunked = headers.some((header) => header.includes('chunked'));
  const length = Buffer.byteLength(head + tail) + times * Buffer.byteLength(part);
  const lines = [
    'POST /create-campaign HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    'connection: close',
    ...(isChunked ? [] : [`content-length: ${length}`]),
    ...headers,
  ];
  const chunk = (text: string) => (isChunked ? [...text].map((letter) => `1\r\n${letter}\r\n`).join('') : text);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), '127.0.0.1', async () => {
      const write = (bytes: string | Buffer) =>
        new Promise<void>((next) => (socket.writable ? socket.write(bytes, () => next()) : next()));
      await write(`${lines.join('\r\n')}\r\n\r\n${chunk(head)}`);
      const perBlock = Math.ceil(1_000_000 / Buffer.byteLength(part));
      const block = Buffer.from(chunk(part.repeat(perBlock)));
      let left = times;
      for (; left >= perBlock && answer === ''; left -= perBlock) await write(block);
      await write(`${chunk(part.repeat(Math.min(left, perBlock)) + tail)}${isChunked ? '0\r\n\r\n' : ''}`);
    });
    socket.on('data', (text) => (answer += text));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer.split(' ')[1] ?? 'no answer'));
  });
}
