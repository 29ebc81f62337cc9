/** The body of an answer without its framing (RFC 9112, sections 6 and 7), from bytes that come in any pieces. */

import { BadAnswer } from '../failure.ts';
import type { Framing } from './head.ts';

/** Most bytes of chunk sizes, extensions and trailers between two pieces of the body, or after the last. */
const maxFramingBytes = 2048;
/** The same of a whole body. */
const maxFramingInAll = 256 * 1024;
/** No body is as long. */
const longestChunk = 2 ** 48;

const lineFeed = 10;
const carriageReturn = 13;
const tab = 9;
const space = 32;
const semicolon = 59;

/** The value of a hexadecimal digit; -1 for another byte. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

type ChunkState = 'size' | 'after the size' | 'extension' | 'data' | 'after the data' | 'trailers';

/** Reads one body. */
export class BodyReader {
  isComplete: boolean;
  /** As `Head.isExact`: plain chunks, without extensions and trailers. */
  isExact = true;
  readonly #kind: Framing['kind'];
  readonly #take: (piece: Buffer) => boolean;
  /** Bytes of the body, or of this chunk, that are still to come. */
  #left = 0;
  #state: ChunkState = 'size';
  #digits = 0;
  /** Bytes of this line of trailers. */
  #lineBytes = 0;
  #wasReturn = false;
  #framingBytes = 0;
  #framingInAll = 0;

  /** `take` gets each piece, and returns whether it wants more. */
  constructor(framing: Framing, take: (piece: Buffer) => boolean) {
    this.#kind = framing.kind;
    this.#take = take;
    if (framing.kind === 'length') this.#left = framing.bytes;
    this.isComplete = framing.kind === 'none' || (framing.kind === 'length' && framing.bytes === 0);
  }

  /** Reads on, until the body is complete or nobody wants more. Returns how many bytes it read. Throws BadAnswer. */
  read(bytes: Buffer): number {
    if (this.isComplete) return 0;
    if (this.#kind === 'chunked') return this.#readChunks(bytes);
    if (this.#kind === 'close') {
      this.#take(bytes);
      return bytes.length;
    }
    const piece = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= piece.length;
    this.isComplete = this.#left === 0;
    this.#take(piece);
    return piece.length;
  }

  /** The connection ended in good order. Returns whether the body is whole. */
  end(): boolean {
    if (this.#kind === 'close') this.isComplete = true;
    return this.isComplete;
  }

  #readChunks(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && !this.isComplete) {
      if (this.#state === 'data') {
        const piece = bytes.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        this.#framingBytes = 0;
        if (this.#left === 0) this.#enter('after the data');
        if (!this.#take(piece)) return at;
      } else {
        this.#readFraming(bytes[at] ?? 0);
        at += 1;
      }
    }
    return at;
  }

  #enter(state: ChunkState): void {
    this.#state = state;
    this.#wasReturn = false;
  }

  #readFraming(byte: number): void {
    this.#framingBytes += 1;
    this.#framingInAll += 1;
    if (this.#framingInAll > maxFramingInAll) {
      throw new BadAnswer('the body comes in too many chunks');
    }
    if (this.#framingBytes > maxFramingBytes) {
      throw new BadAnswer('the chunk extensions or trailers of the body are larger than 2 KiB');
    }
    if (this.#state === 'size') this.#readSize(byte);
    else if (this.#state === 'trailers') this.#readTrailers(byte);
    else this.#readLineEnd(byte);
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#left = this.#left * 16 + digit;
      this.#digits += 1;
      if (this.#left > longestChunk) throw new BadAnswer('a chunk of the body is too long');
      return;
    }
    if (this.#digits === 0) throw new BadAnswer('the body has a chunk without a size');
    this.#enter('after the size');
    this.#readLineEnd(byte);
  }

  /** After the size of a chunk may be blanks and an extension, after its data nothing. */
  #readLineEnd(byte: number): void {
    const isAfterData = this.#state === 'after the data';
    if (byte === lineFeed) {
      if (!this.#wasReturn) this.isExact = false;
      if (isAfterData) this.#beginSize();
      else this.#beginChunk();
      return;
    }
    const isReturn = byte === carriageReturn;
    if (this.#state === 'extension' || (isReturn && !this.#wasReturn)) {
      this.#wasReturn = isReturn;
      return;
    }
    if (isAfterData) throw new BadAnswer('a chunk of the body is longer than its size');
    const isBlank = byte === space || byte === tab;
    if (this.#wasReturn || (byte !== semicolon && !isBlank)) {
      throw new BadAnswer('the size of a chunk of the body is no number');
    }
    this.isExact = false;
    if (byte === semicolon) this.#enter('extension');
  }

  #beginSize(): void {
    this.#left = 0;
    this.#digits = 0;
    this.#enter('size');
  }

  #beginChunk(): void {
    this.#lineBytes = 0;
    this.#enter(this.#left === 0 ? 'trailers' : 'data');
  }

  #readTrailers(byte: number): void {
    if (byte === lineFeed) {
      if (!this.#wasReturn) this.isExact = false;
      if (this.#lineBytes === 0) this.isComplete = true;
      this.#lineBytes = 0;
      this.#wasReturn = false;
      return;
    }
    if (this.#wasReturn) this.#lineBytes += 1;
    this.#wasReturn = byte === carriageReturn;
    if (!this.#wasReturn) this.#lineBytes += 1;
    if (this.#lineBytes > 0) this.isExact = false;
  }
}
