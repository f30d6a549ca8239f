/**
 * Servers with which no connection is made, each of which says the password back as if to have it printed: one sentence, the
 * fix, exit code 9, nothing of the driver's own on stderr, and the program ends at once.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Operator } from '../../support/program.ts';

const SECRET = 'Gehe1mnis-4711';
/** Milliseconds that a server keeps a connection on which the client says nothing more. */
const PATIENCE = 20_000;

const int32 = (number: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
};
const message = (type: string, body: Buffer) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const asks = (kind: number, ...more: Buffer[]) => message('R', Buffer.concat([int32(kind), ...more]));
const fails = (code: string, text: string) =>
  message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text} (${SECRET})\0\0`));

const CLEARTEXT = asks(3);
const MD5 = asks(5, Buffer.from('salt'));
const SCRAM = asks(10, Buffer.from('SCRAM-SHA-256\0\0'));
const OF_NOBODY = asks(11, Buffer.from(`r=${SECRET},s=c2FsdA==,i=4096`));
const WRONG = fails('28P01', 'password authentication failed');
const NO_TLS = Buffer.from('N');

interface Case {
  /** What it says to each piece of what the client says, in turn; then it waits, or hangs up. */
  says: Buffer[];
  told: [why: string, fix: string];
  address?: string;
  env?: Record<string, string>;
  /** The mode of a ~/.pgpass with the password. */
  file?: number;
}

const env = { PGPASSWORD: SECRET };
const NONE_GIVEN: Case['told'] = ['it asks for a password, and none was given.', 'Set PGPASSWORD'];
const REFUSED: Case['told'] = ['it does not accept the password.', 'Set PGPASSWORD'];
const LOOSE: Case['told'] = ['others may read the file that should hold it.', 'chmod 600'];
const ODD: Case['told'] = ['what it says of the password is not what PostgreSQL would say.', 'Check'];
const POOLER: Case['told'] = ['a pooler answers there', 'Name PostgreSQL itself'];
const PLAIN: Case['told'] = ['it takes no encrypted connections.', 'Write sslmode=disable'];

const CASES: Record<string, Case> = {
  'that wants one in the clear, and gets none': { says: [CLEARTEXT], told: NONE_GIVEN },
  'that wants a hash, and gets none': { says: [MD5], told: NONE_GIVEN },
  'that wants a proof, and gets none': { says: [SCRAM], told: NONE_GIVEN },
  'that refuses it in the clear': { says: [CLEARTEXT, WRONG], env, told: REFUSED },
  'that refuses that of a file': { says: [MD5, WRONG], file: 0o600, told: REFUSED },
  'whose password is in a file that others may read': { says: [SCRAM], file: 0o644, told: LOOSE },
  'that cannot prove that it knows it': { says: [SCRAM, OF_NOBODY], env, told: ODD },
  'that is a pooler': { says: [fails('08P01', 'unsupported startup parameter: options')], env, told: POOLER },
  'without encryption, which is asked for': { says: [NO_TLS], address: '?sslmode=require', env, told: PLAIN },
};

const COMMANDS = [
  (place: string) => ['local', 'status', '--verbose', '--local', '--store', place],
  (place: string) => ['doctor', '--json', '--local', '--store', place],
  (place: string) => ['campaign', 'list', '--json', '--base-url', 'https://127.0.0.1:9', '--register', place],
];

test.each(Object.entries(CASES))(
  '%s',
  async (name, { says, told: [why, fix], address = '', env: given = {}, file }) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      const left = [...says];
      socket.on('error', () => {}).on('data', () => left.length > 0 && socket.write(left.shift() as Buffer));
      setTimeout(() => socket.destroy(), PATIENCE).unref();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const operator = new Operator({ env: { ...given, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'k' } });
    if (file !== undefined) {
      writeFileSync(join(operator.home, '.pgpass'), `127.0.0.1:${port}:calls:me:${SECRET}\n`);
      chmodSync(join(operator.home, '.pgpass'), file);
    }
    // Each command meets a third of them: all make their connections in one place.
    const command = COMMANDS[Object.keys(CASES).indexOf(name) % COMMANDS.length];
    const place = `postgres://me@127.0.0.1:${port}/calls${address}`;
    const ended = await operator.runProgram(command?.(place) ?? []);
    const told = ended.stdout + ended.stderr;
    expect({ code: ended.code, told }).toEqual({ code: 9, told: expect.stringContaining(why) });
    expect(told).toContain(fix);
    expect(told).not.toMatch(new RegExp(`${SECRET}|warning|deprecat|\\n    at `, 'i'));
  },
);
