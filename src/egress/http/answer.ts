/**
 * Reads one answer from bytes that come in any pieces: interim responses (1xx), the head, the body. The size of all that comes
 * before the body is limited, and each byte is looked at once.
 */

import { BadAnswer } from '../failure.ts';
import { BodyReader } from './body.ts';
import { headEnd, isExactInterim, notHttp, readHead, skipEmptyLines, statusOf } from './head.ts';
import type { Head } from './head.ts';

/** Most bytes of the status lines and headers of one answer, interim responses and empty lines included. */
const maxHeadBytes = 64 * 1024;
/** Most interim responses before an answer. */
const maxInterimResponses = 16;
/** Bytes that are first kept of a head in pieces. */
const firstHeldBytes = 4 * 1024;

const prefixes = ['HTTP/1.', 'ICY '];

/** Who wants the answer. */
export interface Listener {
  onHead: (head: Head) => void;
  /** A piece of the body, only valid until it returns. Returns whether more is wanted. */
  onData: (piece: Buffer) => boolean;
}

/** Reads one answer. */
export class AnswerReader {
  /** Whether bytes came after its end. */
  hasSurplus = false;
  readonly #method: string;
  readonly #listener: Listener;
  #head: Head | null = null;
  #body: BodyReader | null = null;
  /** The beginning of a head that came in pieces. */
  #held: Buffer | null = null;
  #heldBytes = 0;
  /** Bytes of heads and empty lines that are done with. */
  #passedBytes = 0;
  #interimResponses = 0;
  /** Whether what came before the head could be read in another way. */
  #isOdd = false;

  constructor(method: string, listener: Listener) {
    this.#method = method;
    this.#listener = listener;
  }

  get isComplete(): boolean {
    return this.#body?.isComplete === true;
  }

  /** Whether the connection may carry another answer: nobody could read this one in another way. */
  get mayPersist(): boolean {
    return (
      this.isComplete &&
      !this.hasSurplus &&
      !this.#isOdd &&
      this.#head?.persists === true &&
      this.#head.isExact &&
      this.#head.framing.kind !== 'close' &&
      this.#body?.isExact === true
    );
  }

  /** Reads on. Throws BadAnswer. */
  read(bytes: Buffer): void {
    let rest: Buffer | null = bytes;
    while (rest !== null && this.#body === null) rest = this.#readHead(rest);
    if (rest === null || rest.length === 0 || this.#body === null) return;
    const taken = this.#body.read(rest);
    if (taken < rest.length && this.isComplete) this.hasSurplus = true;
  }

  /** The connection ended in good order. Returns whether the answer is whole. */
  end(): boolean {
    return this.#body?.end() ?? false;
  }

  /** Returns what follows the head; null if it is not complete. */
  #readHead(bytes: Buffer): Buffer | null {
    let from = 0;
    if (this.#held === null) {
      from = skipEmptyLines(bytes);
      if (from > 0) this.#isOdd = true;
      this.#passedBytes += from;
    }
    // Without a copy if it came in one piece.
    const seen = this.#heldBytes;
    const all = this.#held === null ? bytes : this.#hold(bytes, 0);
    const end = headEnd(all, from, seen);
    const size = (end === -1 ? all.length : end) - from;
    if (this.#passedBytes + size > maxHeadBytes) {
      throw new BadAnswer('the response headers are larger than 64 KiB');
    }
    if (end === -1) {
      checkBeginning(all, from);
      if (this.#held === null && size > 0) this.#hold(bytes, from);
      return null;
    }
    const rest = bytes.subarray(bytes.length - (all.length - end));
    this.#passedBytes += size;
    this.#held = null;
    this.#heldBytes = 0;
    this.#take(all.toString('latin1', from, end));
    return rest.length === 0 && this.#body === null ? null : rest;
  }

  /** Keeps bytes of a head, and returns all that are kept. */
  #hold(bytes: Buffer, from: number): Buffer {
    const needed = this.#heldBytes + bytes.length - from;
    let held = this.#held ?? Buffer.allocUnsafeSlow(Math.max(firstHeldBytes, needed));
    if (held.length < needed) {
      held = Buffer.allocUnsafeSlow(Math.max(held.length * 2, needed));
      this.#held?.copy(held, 0, 0, this.#heldBytes);
    }
    bytes.copy(held, this.#heldBytes, from);
    this.#held = held;
    this.#heldBytes = needed;
    return held.subarray(0, needed);
  }

  #take(text: string): void {
    const status = statusOf(text);
    if (status === 101) throw new BadAnswer('the target switched protocols (101), unasked');
    if (status < 200) {
      this.#interimResponses += 1;
      if (!isExactInterim(text)) this.#isOdd = true;
      if (this.#interimResponses > maxInterimResponses) {
        throw new BadAnswer('too many interim responses (1xx)');
      }
      return;
    }
    const isBodiless = this.#method === 'HEAD' || status === 204 || status === 304;
    this.#head = readHead(text, status, isBodiless);
    const listener = this.#listener;
    this.#body = new BodyReader(this.#head.framing, listener.onData);
    listener.onHead(this.#head);
  }
}

/** Refuses what is no HTTP as soon as that shows. */
function checkBeginning(bytes: Buffer, from: number): void {
  const start = bytes.toString('latin1', from, Math.min(from + 7, bytes.length));
  const fits = prefixes.some((one) => one.startsWith(start.slice(0, one.length)));
  if (!fits) throw notHttp(bytes.toString('latin1', from, Math.min(from + 64, bytes.length)));
}
