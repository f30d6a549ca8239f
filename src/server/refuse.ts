/** Answers to requests that never reach the app, in the form of its errors. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError, systemCode } from '../errors.ts';
import { errorBody } from './app.ts';

/** Answers a request that the gate refuses. */
export function refuse(outgoing: ServerResponse, why: string): void {
  const body = JSON.stringify(errorBody(new ServiceError(403, 'forbidden_origin', why)));
  outgoing.writeHead(403, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Answers bytes that are not a request, or arrived too late, as far as an answer can still be sent. */
export function refuseUnread(error: Error, socket: Duplex & { _httpMessage?: ServerResponse | null }): void {
  const code = systemCode(error);
  if (!socket.writable || code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const answer = unread(code);
  const body = JSON.stringify(errorBody(answer));
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function unread(code: string | undefined): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError(431, 'payload_too_large', 'The header of the request is too large.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError(413, 'payload_too_large', 'The chunk extensions of the body are too long.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError(408, 'invalid_parameter', 'The request did not arrive in time.');
    default:
      return new ServiceError(400, 'invalid_parameter', 'The request is not valid HTTP.');
  }
}
