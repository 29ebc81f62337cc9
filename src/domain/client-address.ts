/** Whose request it is: of the other end of its connection, or of whom a proxy sends it for. */

import { isLoopbackName } from './targets/host-name.ts';
import { blockHas, parseAddress, parseBlock, type Address, type Block } from './targets/address.ts';

/** Reads an address as sockets have it; IPv4 that is written as IPv6 (RFC 4291 section 2.5.5.2) is IPv4. Null for other text. */
export function clientAddress(text: string): Address | null {
  const address = parseAddress(text.split('%', 1)[0] ?? '');
  if (address?.family !== 6 || address.value >> 32n !== 0xffffn) return address;
  return { family: 4, value: address.value & 0xffffffffn };
}

const loopback = [parseBlock('127.0.0.0/8'), parseBlock('::1')].filter((block) => block !== null);

/** Whether an address is one of this machine alone. */
export function isLoopback(text: string): boolean {
  return isIn(loopback, text);
}

/** Whether a host of a URL is this machine alone, by name or address. */
export function isThisMachine(host: string): boolean {
  return isLoopbackName(host) || isLoopback(host.replaceAll(/^\[|\]$/g, ''));
}

/** Whether an address is in one of these blocks. */
export function isIn(blocks: readonly Block[], text: string): boolean {
  const address = blocks.length === 0 ? null : clientAddress(text);
  return address !== null && blocks.some((block) => blockHas(block, address));
}

/**
 * The client that a trusted proxy names: the last address of its X-Forwarded-For that is no trusted proxy itself; the first one if
 * all are. What clients write there comes before that. Null if something else than an address is met first.
 */
export function forwardedClient(forwardedFor: string, proxies: readonly Block[]): string | null {
  let client: string | null = null;
  let end = forwardedFor.length;
  while (end >= 0) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const text = forwardedFor.slice(comma + 1, end).trim();
    // A zone, such as %eth0, is text that nobody checks, and says nothing about another machine.
    if (text.includes('%') || clientAddress(text) === null) return null;
    client = text;
    if (!isIn(proxies, text)) return client;
    end = comma;
  }
  return client;
}
