/** Requests as bytes: what no client would send, and the answer as it comes. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends parts one after the other, and resolves when the server has closed the connection. */
export function sendRaw(url: string, ...parts: (string | Buffer)[]): Promise<RawAnswer> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
  for (const part of parts) socket.write(part);
  return received(socket);
}

function received(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(readAnswer(Buffer.concat(chunks).toString('utf8'))));
  });
}

/**
 * Sends a request without a body, and resolves when the server has it: the server is asked to say so. What it answers then is
 * yet to come.
 */
export function sendAccepted(url: string, line: string): Promise<{ answer: Promise<RawAnswer> }> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const answer = received(socket);
    socket.once('data', () => resolve({ answer }));
    socket.write(head(line, ['Expect: 100-continue']).replace('Connection: close\r\n', ''));
  });
}

function readAnswer(text: string): RawAnswer {
  const [head = '', body = ''] = text.replace('HTTP/1.1 100 Continue\r\n\r\n', '').split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(': ');
    return [name.toLowerCase(), value];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body };
}

/** The head of a request that asks for the connection to be closed; `host` undefined leaves that header out. */
export function head(line: string, headers: readonly string[] = [], host: string | undefined = 'localhost'): string {
  const all = [`${line} HTTP/1.1`, ...(host === undefined ? [] : [`Host: ${host}`]), 'Connection: close', ...headers];
  return `${all.join('\r\n')}\r\n\r\n`;
}

/** A POST of a JSON body as it stands. */
export function post(path: string, body: string | Buffer, headers: readonly string[] = []): [string, Buffer] {
  const bytes = Buffer.from(body as string);
  const about = ['Content-Type: application/json', `Content-Length: ${bytes.length}`, ...headers];
  return [head(`POST ${path}`, about), bytes];
}

/** What the server says of an error, which has the same shape wherever it comes from. */
export function errorIn({ status, body }: RawAnswer): { status: number; error: unknown; fields: string[] } {
  const said = JSON.parse(body) as { success: unknown; error: unknown; message: unknown; issues?: { field: string }[] };
  if (said.success !== false || typeof said.message !== 'string') throw new Error(`no error of ours: ${body}`);
  return { status, error: said.error, fields: (said.issues ?? []).map(({ field }) => field) };
}
