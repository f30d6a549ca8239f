/** Answers bytes that are not a request, in the form of the app's errors. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError, systemCode } from '../../errors.ts';
import { errorAnswer } from './app.ts';

const REASONS: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'payload_too_large', 'The header of the request is too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'payload_too_large', 'The chunk extensions of the body are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid_parameter', 'The request did not arrive in time.'],
};

/** Answers bytes that are not a request, or arrived too late, as far as an answer can still be sent. */
export function refuseUnread(error: Error, socket: Duplex & { _httpMessage?: ServerResponse | null }): void {
  const code = systemCode(error) ?? '';
  if (!socket.writable || code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const reason = REASONS[code] ?? [400, 'invalid_parameter', 'The request is not valid HTTP.'];
  const { status, body } = errorAnswer(new ServiceError(...reason));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
