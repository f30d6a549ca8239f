/** Checks of what stands between this machine and the service: a proxy, and certificates of one's own. */
import { readFileSync } from 'node:fs';
import type { Context } from '../context.ts';
import { FileError } from '../errors.ts';
import { fileError } from '../files.ts';
import type { Check } from './check.ts';

export function networkChecks(context: Context): Check[] {
  return [
    { name: 'proxy', what: 'proxy', needs: ['base_url'], look: () => proxy(context) },
    { name: 'certificates', what: 'certificates', look: () => certificates(context) },
  ];
}

/** Of the proxy only the host is shown: its name and password may stand in the variable. */
async function proxy(context: Context): Promise<string> {
  const { target } = context.settings;
  const used = target.mode === 'remote' ? await context.proxyFor(target.baseUrl) : undefined;
  return used === undefined ? 'none' : `${used.url.host}, of ${used.variable}`;
}

function certificates(context: Context): string {
  const path = context.environment('NODE_EXTRA_CA_CERTS');
  if (path === undefined) return 'those that Node.js brings along';
  const hint =
    'Set NODE_EXTRA_CA_CERTS to a PEM file of certificates, or unset it: Node.js goes on without what it cannot read.';
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    throw fileError(error, 'read', path, hint);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new FileError(`${path} holds no certificate.`, { hint });
  return `those of ${path} too`;
}
