/**
 * TCP under TLS, measured before OpenSSL sees what comes in
 * (docs/decisions/0024-the-way-out.md#what-comes-under-tls-is-measured-before-openssl-sees-it): bytes are limited, and an
 * address whose bytes cost much CPU is read again only after a rest many times as long.
 */
import { parseAddress } from '../domain/targets/address.ts';
import { BadAnswer } from './failure.ts';
import { Lru } from './lru.ts';
import type { Timers } from '../domain/clock.ts';
import { TcpSocket } from './tcp.ts';

/** What a connection is used for. */
export type Use = 'handshake' | 'answer' | 'idle';

/** Most bytes on the wire that the target may send during each use. */
const mostBytes: Record<Use, number> = {
  /** Certificate chains have 2 to 6 KB, rarely 12. OpenSSL allows 100 KB, which can cost half a second to verify. */
  handshake: 32 * 1024,
  /** The answer itself is cut at a few KB, but each of its bytes may come in a record of its own. */
  answer: 256 * 1024,
  /** Late session tickets and the end of the connection. */
  idle: 4 * 1024,
};
/** Most bytes that OpenSSL gets at a time, as many as a TLS record has. */
const pieceBytes = 16 * 1024;

/** CPU time that a piece may cost without a rest. A whole handshake costs 1 to 2 ms. */
const freeMs = 10;
/** After the handshake, a piece up to this size costs less than `freeMs` whatever it holds, and is not measured. */
const smallBytes = 4 * 1024;
/** Length of a rest, as a multiple of the CPU time beyond `freeMs`. */
const restsPerCost = 20;
/** Addresses whose rests are remembered. */
const maxRests = 10_000;

/** How long addresses rest; one for all connections of a thread. */
export class Rests {
  readonly timers: Timers;
  readonly #endsAt = new Lru<number>(maxRests);

  constructor(timers: Timers) {
    this.timers = timers;
  }

  /** Milliseconds until the owner may be read from again; 0 if it may be. */
  leftMs(owner: string): number {
    const endsAt = this.#endsAt.get(owner);
    return endsAt === undefined ? 0 : Math.max(0, endsAt - this.timers.monotonicMs());
  }

  /** A piece from this owner cost this much CPU time. */
  add(owner: string, costMs: number): void {
    if (costMs <= freeMs) return;
    this.#endsAt.set(owner, this.timers.monotonicMs() + (costMs - freeMs) * restsPerCost);
  }
}

/** A socket for `tls.connect`. Pass it before it is connected, or TLS reads from its handle and bypasses the limits. */
export class Wire extends TcpSocket {
  readonly #owner: string;
  readonly #rests: Rests;
  #use: Use = 'handshake';
  #left = mostBytes.handshake;
  /** Bytes read and not passed on yet; null if there are none. */
  #held: Buffer | null = null;
  #hasEnded = false;
  #resting: Disposable | undefined;

  constructor(address: string, rests: Rests) {
    super();
    this.#owner = ownerOf(address);
    this.#rests = rests;
    this.onBytes = (bytes) => this.#take(bytes);
    this.once('close', () => this.#resting?.[Symbol.dispose]());
  }

  /** Bytes that come from now on count for this use. */
  startUse(use: Use): void {
    this.#use = use;
    this.#left = mostBytes[use];
  }

  endRest(): void {
    this.#resting = undefined;
    if (!this.#passOn()) return;
    this.resume();
    if (this.#hasEnded) super.push(null);
  }

  /** Called by Node at the end of what comes. */
  override push(end: null): boolean {
    if (this.#held === null) return super.push(end);
    this.#hasEnded = true;
    return false;
  }

  #take(bytes: Buffer): boolean {
    this.#left -= bytes.length;
    if (this.#left < 0) {
      this.destroy(this.#use === 'idle' ? undefined : new BadAnswer(tooMuch(this.#use)));
      return false;
    }
    this.#held = this.#held === null ? bytes : Buffer.concat([this.#held, bytes]);
    if (this.#passOn()) return true;
    // What is held outlives this call.
    this.#held = this.#held && Buffer.from(this.#held);
    return false;
  }

  /** Gives TLS what is held. Returns whether that was all. */
  #passOn(): boolean {
    while (this.#held !== null && !this.destroyed) {
      const restMs = this.#rests.leftMs(this.#owner);
      if (restMs > 0) {
        this.#resting ??= this.#rests.timers.after(restMs, endRest, this);
        return false;
      }
      const piece = this.#held.subarray(0, pieceBytes);
      this.#held = piece.length < this.#held.length ? this.#held.subarray(pieceBytes) : null;
      const isMeasured = this.#use === 'handshake' || piece.length > smallBytes;
      const before = isMeasured ? process.threadCpuUsage() : null;
      this.emit('data', piece);
      if (before !== null) this.#rests.add(this.#owner, cpuMsSince(before));
    }
    return true;
  }
}

function endRest(wire: Wire): void {
  wire.endRest();
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Who rests: an IPv4 address, or the /64 network of an IPv6 address, which one host can use as a whole. */
function ownerOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed?.family === 6 ? String(parsed.value >> 64n) : address;
}

function tooMuch(use: Exclude<Use, 'idle'>): string {
  return use === 'handshake'
    ? `the TLS handshake takes more than ${mostBytes.handshake / 1024} KiB`
    : `the answer takes more than ${mostBytes.answer / 1024} KiB under TLS`;
}
