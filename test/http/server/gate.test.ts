/** A web page of somebody else's places no calls: whom `vagent serve` answers. */
import { afterAll, describe, expect, test } from 'vitest';
import { operationNames, operations } from '../../../src/contract.ts';
import { casesBeside } from '../../support/cases.ts';
import { serveEngine, testEngine } from '../../support/engine.ts';
import { errorIn, head, post, sendRaw } from './raw.ts';

const engine = testEngine();
const server = await serveEngine(engine, { allowHosts: ['sandbox.example', 'MyBox', '192.0.2.7', '2001:db8::7'] });
afterAll(() => server.close());
const cases = casesBeside(import.meta.filename, { PORT: new URL(server.url).port });

const AGENTS = 'GET /get-agents?organization_id=1&api_key=local-demo-key';
const CALL = JSON.stringify({
  ...{ organization_id: 1, api_key: 'local-demo-key', use_agent_id: 1, called_to: '+14155550190' },
  ...{ call_from: '+14155550100', custom_first_line: 'Hello.', custom_identifiers: '' },
});

const ask = (headers: string[], host?: string, line = AGENTS) => sendRaw(server.url, head(line, headers, host));

async function expectRefusal(answer: ReturnType<typeof sendRaw>): Promise<void> {
  expect(errorIn(await answer)).toEqual({ status: 403, error: 'forbidden_origin', fields: [] });
  expect(Object.keys((await answer).headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
}

describe('a Host that is answered', () => {
  test.each(cases<string>('a Host that is answered'))('%s', async (host) => {
    expect(await ask([], host)).toMatchObject({ status: 200 });
  });
});

describe('a Host that is refused', () => {
  test.each(cases<string>('a Host that is refused'))('"%s"', async (host) => {
    await expectRefusal(ask([], host));
  });

  test('one that is missing, and two', async () => {
    await expectRefusal(sendRaw(server.url, `${AGENTS} HTTP/1.1\r\nConnection: close\r\n\r\n`));
    await expectRefusal(sendRaw(server.url, `${AGENTS} HTTP/1.0\r\n\r\n`));
    await expectRefusal(ask(['Host: localhost']));
    await expectRefusal(ask(['hOST: evil.com']));
  });

  test('a target that names a host of its own', async () => {
    for (const host of ['evil.com', 'localhost']) {
      await expectRefusal(
        ask([], 'localhost', `GET http://${host}/get-agents?organization_id=1&api_key=local-demo-key`),
      );
    }
    await expectRefusal(ask([], 'localhost', 'OPTIONS *'));
  });
});

describe('the page that a request comes from', () => {
  test.each(cases<string>('an Origin that is refused'))('Origin: %s is refused', async (origin) => {
    await expectRefusal(ask([`Origin: ${origin}`]));
  });

  test.each(['cross-site', 'same-site', 'Cross-Site', ''])('Sec-Fetch-Site: %s is refused', async (site) => {
    await expectRefusal(ask([`Sec-Fetch-Site: ${site}`]));
  });

  test('one of its own, and none at all, are answered', async () => {
    expect(await ask(['Origin: http://localhost', 'Sec-Fetch-Site: same-origin'])).toMatchObject({ status: 200 });
    expect(await ask([`Origin: ${server.url}`], new URL(server.url).host)).toMatchObject({ status: 200 });
    expect(await ask(['Sec-Fetch-Site: none'])).toMatchObject({ status: 200 });
  });
});

describe('whatever is asked, a stranger is told nothing and changes nothing', () => {
  const requests: [string, string[]][] = [
    ...operationNames.map((name): [string, string[]] => {
      const { method, path } = operations[name];
      return [`${method} ${path}`, [head(`${method} ${path}`, ['Origin: http://evil.com'])]];
    }),
    ['a path that is not there', [head('GET /nothing', [], 'evil.com')]],
    ['a method that is not taken', [head('DELETE /trigger-call', [], 'evil.com')]],
    ['the question before it', [head('OPTIONS /trigger-call', ['Origin: http://evil.com'])]],
    ['a call from a page', [...post('/trigger-call', CALL, ['Origin: http://evil.com']).map(String)]],
    [
      'a call by rebinding',
      [...post('/trigger-call', CALL).map((part) => String(part).replace('localhost', 'evil.com'))],
    ],
  ];
  test.each(requests)('%s', async (_name, parts) => {
    await expectRefusal(sendRaw(server.url, ...parts));
    expect((await engine.timeline.stored()).state.next_call_number).toBe(1);
  });

  test('a call that a form of a page can send without being asked is no JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const request = `${head('POST /trigger-call', [`Content-Type: ${type}`, `Content-Length: ${CALL.length}`])}${CALL}`;
      expect(errorIn(await sendRaw(server.url, request))).toMatchObject({ status: 415 });
    }
    expect((await engine.timeline.stored()).state.next_call_number).toBe(1);
  });

  test('no answer lets a page of others read it', async () => {
    for (const answer of [await ask([]), await ask([], 'localhost', 'OPTIONS /trigger-call')]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('--host', () => {
  test('to listen for other machines is warned of, and the address given is a name', async () => {
    for (const host of ['0.0.0.0', '::']) {
      const exposed = await serveEngine(engine, { host });
      expect(exposed.isExposed).toBe(true);
      const shown = new URL(exposed.url).host;
      const local = exposed.url.replace(/\/\/.*:/, host === '::' ? '//[::1]:' : '//127.0.0.1:');
      expect(await sendRaw(local, head(AGENTS, [], shown))).toMatchObject({ status: 200 });
      expect(errorIn(await sendRaw(local, head(AGENTS, [], '192.168.1.5')))).toMatchObject({ status: 403 });
      await exposed.close();
    }
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      const own = await serveEngine(engine, { host });
      expect(own.isExposed).toBe(false);
      await own.close();
    }
  });
});
