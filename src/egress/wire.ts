/**
 * TCP under TLS, measured before OpenSSL sees what comes in. Certificates, session tickets, key updates and requests for another
 * handshake cost CPU on the thread of calls, and nothing above hears of them. So a handshake, an answer and the time between
 * two answers may take so many bytes. And an address whose bytes cost much is read again only after a rest many times as
 * long: it has its share of the thread, and all others have theirs.
 */
import { Socket } from 'node:net';
import { parseAddress } from '../domain/targets/address.ts';
import { BadAnswer } from './incoming.ts';
import { createRecent } from './recent.ts';

/** What a connection is used for. */
export type Use = 'handshake' | 'answer' | 'idle';

/** Bytes on the wire that the other side may send meanwhile. */
const mostBytes: Record<Use, number> = {
  /** Chains of certificates are 2 to 6 KB, rarely 12. What OpenSSL allows, 100 KB, can cost half a second to verify. */
  handshake: 32 * 1024,
  /** The answer itself is cut at a few KB; each of its bytes may come in a record of its own. */
  answer: 256 * 1024,
  /** Session tickets that come late, and the end of the connection. */
  idle: 4 * 1024,
};
/** OpenSSL gets no more at a time; a TLS record has no more. */
const pieceBytes = 16 * 1024;

/** What a piece may cost, in CPU time: a whole handshake is 1 to 2 ms. */
const freeMs = 10;
/** Once the handshake is over, smaller pieces cost less than that whatever they are. */
const smallBytes = 4 * 1024;
/** A rest is this many times as long as what a piece cost beyond `freeMs`. */
const restsPerCost = 20;
/** Addresses whose rests are known. */
const maxRests = 10_000;

/** Says how long owners of addresses rest; one for all connections of a thread. */
export interface Rests {
  /** Milliseconds until the owner may be read from again; 0 if it may be. */
  leftMs(owner: string): number;
  /** A piece from this owner cost so much CPU time. */
  add(owner: string, costMs: number): void;
}

/** Makes one, with nobody at rest. */
export function createRests(now: () => number = () => performance.now()): Rests {
  const until = createRecent<number>(maxRests);
  return {
    leftMs(owner) {
      const end = until.get(owner);
      return end === undefined ? 0 : Math.max(0, end - now());
    },
    add(owner, costMs) {
      if (costMs > freeMs) until.set(owner, now() + (costMs - freeMs) * restsPerCost);
    },
  };
}

/**
 * A socket for `tls.connect` to read from. It must be given to it before it is connected: else TLS reads past it, from its handle.
 */
export class Wire extends Socket {
  readonly #owner: string;
  readonly #rests: Rests;
  #use: Use = 'handshake';
  #left = mostBytes.handshake;
  /** Read, and not handed on yet; null if there is nothing. */
  #held: Buffer | null = null;
  #hasEnded = false;
  #resting: NodeJS.Timeout | undefined;

  constructor(address: string, rests: Rests) {
    super();
    this.#owner = ownerOf(address);
    this.#rests = rests;
    this.once('close', () => clearTimeout(this.#resting));
  }

  /** What comes from now on is for this use. */
  startUse(use: Use): void {
    this.#use = use;
    this.#left = mostBytes[use];
  }

  /** Node hands over what it read; false stops it from reading more. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      if (this.#held === null) return super.push(null);
      this.#hasEnded = true;
      return false;
    }
    this.#left -= chunk.length;
    if (this.#left < 0) {
      this.destroy(this.#use === 'idle' ? undefined : new BadAnswer(tooMuch(this.#use)));
      return false;
    }
    this.#held = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    return this.#handOn();
  }

  #handOn(): boolean {
    let wantsMore = true;
    while (this.#held !== null && !this.destroyed) {
      const restMs = this.#rests.leftMs(this.#owner);
      if (restMs > 0) {
        this.#resting ??= setTimeout(() => {
          this.#resting = undefined;
          this.#handOn();
        }, restMs);
        return false;
      }
      const piece = this.#held.subarray(0, pieceBytes);
      this.#held = piece.length < this.#held.length ? this.#held.subarray(pieceBytes) : null;
      const isMeasured = this.#use === 'handshake' || piece.length > smallBytes;
      const before = isMeasured ? process.threadCpuUsage() : null;
      wantsMore = super.push(piece);
      if (before !== null) this.#rests.add(this.#owner, cpuMsSince(before));
    }
    if (this.#hasEnded && !this.destroyed) super.push(null);
    return wantsMore;
  }
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Whose an address is: that of IPv6 is one of 2^64 that belong together. */
function ownerOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed?.family === 6 ? String(parsed.value >> 64n) : address;
}

function tooMuch(use: Exclude<Use, 'idle'>): string {
  return use === 'handshake'
    ? `the TLS handshake takes more than ${mostBytes.handshake / 1024} KiB`
    : `the answer takes more than ${mostBytes.answer / 1024} KiB under TLS`;
}
