/** Who sends requests, and whom they count for (docs/behavior.md#limit-1). */

import type { IncomingMessage } from 'node:http';
import {
  clientAddress,
  forwardedClient,
  isIn,
  isLoopback,
} from '../../../domain/client-address.ts';
import type { Block } from '../../../domain/targets/address.ts';

export interface Client {
  /** Null if it is gone already. */
  address: string | null;
  /** The addresses that it shares limits with. */
  group: string;
}

/** The other end of a connection. */
export interface Peer extends Client {
  isTrustedProxy: boolean;
}

export interface Clients {
  peerAt(address: string | undefined): Peer;
  /** The client of a request: the other end, or whom it sends it for if it is a trusted proxy. */
  clientOf(request: IncomingMessage, peer: Peer): Client;
}

export interface ClientsParts {
  trustedProxies: readonly Block[];
  /**
   * Hears, once, that requests come through a proxy on this machine that is not trusted. Of others that is not told: anybody may
   * write the header, and nobody should be advised to trust them.
   */
  onUntrustedProxy: (address: string) => void;
}

/** Makes it for one server. */
export function createClients({ trustedProxies, onUntrustedProxy }: ClientsParts): Clients {
  let isTold = false;
  return {
    peerAt(address = '') {
      return { ...clientAt(address), isTrustedProxy: isIn(trustedProxies, address) };
    },
    clientOf({ headers }, peer) {
      const forwardedFor = headers['x-forwarded-for'];
      if (forwardedFor === undefined) return peer;
      if (peer.isTrustedProxy) {
        const address = forwardedClient(String(forwardedFor), trustedProxies);
        return address === null ? peer : clientAt(address);
      }
      if (!isTold && isLoopback(peer.address ?? '')) {
        isTold = true;
        onUntrustedProxy(peer.address ?? '');
      }
      return peer;
    },
  };
}

function clientAt(address: string): Client {
  return { address: address === '' ? null : address, group: addressGroup(address) };
}

/** The addresses that share a limit: a single IPv4 address, or a /64 of IPv6, which is what one network has. */
export function addressGroup(text: string): string {
  const address = clientAddress(text);
  if (address === null) return 'unknown';
  return address.family === 4 ? `4:${address.value}` : `6:${address.value >> 64n}`;
}
