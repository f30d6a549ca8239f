/** `logs recording` and `voice preview` from a real server: what comes in full is kept, and of what does not, nothing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { download } from '../../../src/http/client/download.ts';
import { casesBeside } from '../../support/cases.ts';
import { startFaultyService } from '../../support/faulty-service.ts';
import { type Answer, type Received, sendJson, startServer } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';

const KEY = 'sk-recording-key-0001';
const MP3 = { 'content-type': 'audio/mpeg' };
/** Every byte there is, so that no text decoder leaves it as it is. */
const AUDIO = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7 + (at >> 8)) % 256));

const cases = casesBeside(import.meta.filename);

type Host = (request: Received, response: ServerResponse) => void | Promise<void>;

/** A host of recordings, and a service whose one call and one voice point there. */
async function setUp(host: Host, fields: (address: string) => object = (address) => ({ recording_url: address })) {
  const media = await startServer(host);
  const address = `${media.url}/calls/1.ogg?sig=abc`;
  const answer: Answer = ({ path }, response) => {
    const call = { call_id: 'call_1', call_status: 'completed', timestamp: '2026-11-20T09:00:00Z', ...fields(address) };
    const voices = [{ voice_id: 3, voice_name: 'Ava', ...fields(address) }];
    if (path === '/get-voices') return sendJson(response, 200, { success: true, voices, total: 1 });
    sendJson(response, 200, { success: true, calls: [call], total: 1, limit: 1, offset: 0 });
  };
  const { operator } = await shopOf(answer, { env: { VAGENT_API_KEY: KEY } });
  const folder = join(operator.home, 'recordings');
  mkdirSync(folder);
  const file = join(folder, 'a.mp3');
  const save = (...words: string[]) => operator.run(['logs', 'recording', 'call_1', ...words]);
  return { media, operator, folder, file, save, address };
}

const whole: Host = (_request, response) => {
  response.writeHead(200, { ...MP3, 'content-length': AUDIO.length }).end(AUDIO);
};

describe('a recording', () => {
  test('is kept byte for byte, and the key goes to the service alone', async () => {
    const { media, file, save } = await setUp(whole);
    const { code, stdout, stderr } = await save('--out', file);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`The recording is in ${file} (70.0 kB).\n`);
    expect(readFileSync(file).equals(AUDIO)).toBe(true);
    expect(media.received).toHaveLength(1);
    const [{ method, path, headers }] = media.received as [Received];
    expect({ method, path }).toEqual({ method: 'GET', path: '/calls/1.ogg' });
    expect(JSON.stringify(media.received)).not.toContain(KEY);
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host']);
  });

  test.each<[type: string | undefined, path: string, ending: string]>([
    ['audio/mpeg; charset=binary', '1.ogg', 'mp3'],
    ['AUDIO/X-WAV', '1.ogg', 'wav'],
    ['application/octet-stream', '1.ogg', 'ogg'],
    [undefined, 'd.OGG', 'ogg'],
    ...['voice-3.sh', 'a.exe', 'b.html', 'c.mp3.bat', 'no-ending'].map((path): [undefined, string, string] => [
      undefined,
      path,
      'audio',
    ]),
  ])('of type %s at %s has a name of its own, with the ending %s', async (type, path, ending) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const { folder, save } = await setUp(
      (_request, response) => void response.writeHead(200, headers).end('ID3'),
      (address) => ({ recording_url: new URL(`/${path}`, address).href }),
    );
    expect((await save('--out', folder)).code).toBe(0);
    expect(readdirSync(folder)).toEqual([`call_1.${ending}`]);
  });

  test('of a call with a long id has a short name of its own', async () => {
    const ids = ['a', 'b'].map((last) => `${'x'.repeat(299)}${last}`);
    for (const id of ids) {
      const { operator, folder } = await setUp(whole, (address) => ({ call_id: id, recording_url: address }));
      const { code, stderr } = await operator.run(['logs', 'recording', id, '--out', folder]);
      expect(code, stderr).toBe(0);
      expect(readdirSync(folder)).toEqual([expect.stringMatching(/^x{100}-[0-9a-f]{8}\.mp3$/)]);
    }
  });

  test.each([
    ['a folder that is not there', 'no/', /it is the name of a folder/],
    ['a name that is too long', 'x'.repeat(300), /the name is too long/],
  ])('is not written to %s', async (_what, out, says) => {
    const { folder, save } = await setUp(whole);
    const told = await save('--out', join(folder, out) + (out.endsWith('/') ? '/' : ''));
    expect({ code: told.code, stderr: told.stderr }).toEqual({ code: 9, stderr: expect.stringMatching(says) });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['says its length', { ...MP3, 'content-length': AUDIO.length }],
    ['does not say its length', MP3],
  ])('that is too large and %s leaves no file', async (_what, headers) => {
    const { folder, file, save } = await setUp(
      (_request, response) => void response.writeHead(200, headers).end(AUDIO),
    );
    const told = await save('--out', folder, '--max-size', '69kB');
    expect(told.code).toBe(3);
    expect(told.stderr).toMatch(
      /sends more than 69000 bytes in place of the recording; it was not kept\.\n.*--max-size/,
    );
    expect(readdirSync(folder)).toEqual([]);
    expect((await save('--out', file, '--max-size', '0.07 MB')).code).toBe(0);
  });

  test('that comes drop by drop is given up in the end', async () => {
    const { media } = await setUp((_request, response) => {
      const drops = setInterval(() => response.write('ID3'), 20);
      response.on('close', () => clearInterval(drops));
    });
    const found = await download(new URL(media.url), {
      ...{ what: 'recording', timeoutMs: 60_000, totalMs: 600, maxBytes: 1e9, signal: new AbortController().signal },
      ...{ proxyFor: async () => undefined, mayAsk: () => true, onReply: () => {} },
    });
    const read = async () => {
      for await (const _chunk of found.chunks());
    };
    await expect(read()).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(/not send all .* within/),
    });
  });

  test('never goes over a file of the program, not even with --yes', async () => {
    const { operator, save } = await setUp(whole);
    const state = join(operator.home, '.local/state/vagent');
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'vagent.db'), '');
    const { code, stderr } = await save('--yes', '--out', join(state, 'vagent.db'));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to the register') });
    expect(readFileSync(join(state, 'vagent.db'), 'utf8')).toBe('');
  });

  test('goes to a pipe with --out -, and never to a terminal', async () => {
    const { media, operator, save } = await setUp(
      (_request, response) => void response.writeHead(200, MP3).end('ID3ü'),
    );
    const { code, stdout } = await save('--out', '-');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ID3ü' });
    const shown = await operator.run(['logs', 'recording', 'call_1', '--out', '-'], { isTerminal: true });
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('A recording is not for a terminal.') });
    expect(media.received).toHaveLength(1);
  });

  test('replaces nothing without --yes', async () => {
    const { file, folder, save } = await setUp(whole);
    writeFileSync(file, 'before');
    const refused = await save('--out', file);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} exists; nothing was written.`) });
    expect(readFileSync(file, 'utf8')).toBe('before');
    expect((await save('--out', file, '--yes')).code).toBe(0);
    expect(readFileSync(file).equals(AUDIO)).toBe(true);
    expect(readdirSync(folder)).toEqual(['a.mp3']);
  });

  test('is followed to another address, five times at most, and without the key', async () => {
    const other = await startServer(whole);
    const away: Host = (_request, response) => void response.writeHead(302, { location: `${other.url}/x` }).end();
    const { file, save } = await setUp(away);
    expect((await save('--out', file)).code).toBe(0);
    expect(JSON.stringify(other.received)).not.toContain(KEY);

    const round: Host = (_request, response) => void response.writeHead(307, { location: '/again' }).end();
    const circle = await setUp(round);
    const endless = await circle.save('--out', circle.file);
    expect(endless).toMatchObject({ code: 7, stderr: expect.stringContaining('redirects more than 5 times.') });
    expect(circle.media.received).toHaveLength(6);
  });

  const escaped = (key: string, times: number) => {
    const once = [...key].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    return once.replaceAll('%', `%${'25'.repeat(times - 1)}`);
  };
  const atOtherHost = (key: string) => `http://127.0.0.1:9/?k=${key}`;
  const holdsKey = /holds the key, but is not the service's/;
  test.each<[what: string, location: string, code: number, says: RegExp]>([
    ['to a file', 'file:///etc/passwd', 3, /not file/],
    ['nowhere', 'http://', 7, /names no address/],
    ['with the key to another host', atOtherHost(KEY), 3, holdsKey],
    ...[1, 2, 3].map((times): [string, string, number, RegExp] => {
      return [`with the key escaped ${times} times to another host`, atOtherHost(escaped(KEY, times)), 3, holdsKey];
    }),
  ])('is not followed %s', async (_what, location, code, says) => {
    const { folder, save } = await setUp((_request, response) => void response.writeHead(302, { location }).end());
    const told = await save('--out', folder);
    expect(told).toMatchObject({ code, stderr: expect.stringMatching(says) });
    expect(told.stderr).not.toContain(KEY);
    expect(readdirSync(folder)).toEqual([]);
  });

  type Reply = { status?: number; headers?: object; body?: string; isCut?: true; isOpen?: true; isMute?: true };
  const replies = cases<[what: string, reply: Reply, code: number, says: RegExp]>('a recording that leaves no file');
  test.each(replies)('that %s leaves no file', async (_what, reply, code, says) => {
    const { status = 200, headers = {}, body = '', isCut, isOpen, isMute } = reply;
    const { folder, save } = await setUp((_request, response) => {
      if (isMute) return;
      if (isCut && body === '') return void response.destroy();
      response.writeHead(status, { ...headers }).write(body);
      if (isCut) setTimeout(() => response.destroy(), 20);
      else if (!isOpen) response.end();
    });
    const told = await save('--out', folder, '--timeout', '1s');
    expect({ code: told.code, stdout: told.stdout }).toEqual({ code, stdout: '' });
    expect(told.stderr).toMatch(says);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is slow, but goes on, is not given up', async () => {
    const drops: Host = async (_request, response) => {
      response.writeHead(200, MP3);
      for (let piece = 0; piece < 4; piece++) {
        response.write('ID3');
        await sleep(400);
      }
      response.end();
    };
    const { file, save } = await setUp(drops);
    expect((await save('--out', file, '--timeout', '1s')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('ID3'.repeat(4));
  });

  test('leaves nothing at Ctrl-C in the middle', async () => {
    const interrupt = new AbortController();
    const { operator, folder } = await setUp((_request, response) => {
      response.writeHead(200, { ...MP3, 'content-length': 1000 }).write('ID3');
      setTimeout(() => interrupt.abort(), 100);
    });
    const { signal } = interrupt;
    const { code, stdout } = await operator.run(['logs', 'recording', 'call_1', '--out', folder], { signal });
    expect({ code, stdout, files: readdirSync(folder) }).toEqual({ code: 130, stdout: '', files: [] });
  });
});

test.each(cases<[what: string, fields: object, code: number, says: RegExp]>('a call without a recording'))(
  'without a recording: %s',
  async (_what, fields, code, says) => {
    const { folder, save } = await setUp(whole, () => fields);
    const told = await save('--out', folder);
    expect(told).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('a host that cannot be reached or trusted is named', async () => {
  const untrusted = await startFaultyService({ isTls: true });
  for (const [address, says] of [
    [untrusted.url, /its certificate is self-signed[^\n]*\n {2}→ .*NODE_EXTRA_CA_CERTS/],
    ['http://127.0.0.1:9/a.mp3', /Cannot reach 127\.0\.0\.1:9: the connection was refused\.\n {2}→ Check the network/],
  ] as const) {
    const { folder, save } = await setUp(whole, () => ({ recording_url: address }));
    expect(await save('--out', folder)).toMatchObject({ code: 7, stdout: '', stderr: expect.stringMatching(says) });
    expect(readdirSync(folder)).toEqual([]);
  }
  await untrusted.close();
});

test('a call that does not exist has none', async () => {
  const { operator } = await setUp(whole);
  const told = await operator.run(['logs', 'recording', 'call_2']);
  expect(told).toMatchObject({ code: 5, stderr: expect.stringContaining('There is no call call_2') });
});

test('the simulator says that it makes none', async () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const words = ['--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
  let recorded = '';
  for (let at = 0; recorded === '' && at < 20; at++) {
    await operator.run(['call', '+14155550190', ...words]);
    const { calls } = JSON.parse((await operator.run(['logs', 'list', '--all', '--json'])).stdout);
    recorded = calls.find((call: { recording_url?: string }) => call.recording_url)?.call_id ?? '';
  }
  const told = await operator.run(['logs', 'recording', recorded]);
  const says = 'vagent: The simulator makes no recordings: recordings.example is a made-up address.';
  expect(told).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining(says) });
});

describe('the preview of a voice', () => {
  test.each<[what: string, fields: (address: string) => object]>([
    ['the documented field', (address) => ({ preview_url: address })],
    ['a field named after a sample', (address) => ({ preview_url: '', sampleAudio: address })],
    ['a field that leads to audio', (address) => ({ audio: address })],
  ])('is found in %s', async (_what, fields) => {
    const { operator, file } = await setUp(whole, fields);
    const { code, stderr } = await operator.run(['voice', 'preview', '3', '--out', file]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`The preview is in ${file}`) });
    expect(existsSync(file)).toBe(true);
  });

  test.each<[voice: string, says: string]>([
    ['3', 'Voice 3 has no preview.'],
    ['9', 'Voice 9 does not exist.\n  → vagent voice list'],
  ])('of voice %s is not found', async (voice, says) => {
    const { operator } = await setUp(whole, () => ({ preview_url: '', accent: 'https://example.com/about' }));
    const told = await operator.run(['voice', 'preview', voice]);
    expect(told).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining(says) });
  });

  test('is none on the simulator', async () => {
    const told = await new Operator({ env: { VAGENT_LOCAL: '1' } }).run(['voice', 'preview', '1']);
    expect(told).toMatchObject({ code: 5, stderr: expect.stringContaining('The simulator makes no previews') });
  });
});
