/**
 * Replaces, in the built program, two parts of Node that libraries load at every start: node:http2, because HTTP/2 is never
 * used, and node:diagnostics_channel, through which undici would print every URL, with the key, under NODE_DEBUG=undici.
 */
export const constants = {};
export class Http2ServerRequest {}

export const channel = () => ({ hasSubscribers: false });
export const subscribe = () => {};
