/** Loaded before the program: the name `service.test` has several addresses, as a public one may. */
import dns from 'node:dns';

const { lookup } = dns;
const addresses = (process.env.VAGENT_TEST_ADDRESSES ?? '').split(' ');

dns.lookup = (name, options, callback) => {
  if (name !== 'service.test' || options?.all !== true) return lookup(name, options, callback);
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  setImmediate(callback, null, found);
};
