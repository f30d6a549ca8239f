/** Checks of what is between this machine and the service: a proxy, and additional certificates. */
import { readFileSync } from 'node:fs';
import type { Context } from '../context.ts';
import { FileError } from '../errors.ts';
import { fileError } from '../files/file-error.ts';
import type { Check } from './check.ts';

export function networkChecks(context: Context): Check[] {
  return [
    { name: 'proxy', what: 'proxy', needs: ['base_url'], look: () => proxy(context) },
    { name: 'certificates', what: 'certificates', look: () => certificates(context) },
  ];
}

/** Shows only the host of the proxy, because the variable may contain a user name and a password. */
async function proxy(context: Context): Promise<string> {
  const target = context.settings.target();
  const used = target.mode === 'remote' ? await context.proxyFor(target.baseUrl) : undefined;
  return used === undefined ? 'none' : `${used.url.host}, from ${used.variable}`;
}

function certificates(context: Context): string {
  const path = context.env.NODE_EXTRA_CA_CERTS || undefined;
  if (path === undefined) return 'those of Node.js';
  const hint =
    'Set NODE_EXTRA_CA_CERTS to a PEM file of certificates, or unset it: Node.js ignores a file that it cannot read.';
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    throw fileError(error, 'read', path, hint);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new FileError(`${path} holds no certificate.`, { hint });
  return `those of ${path} too`;
}
