/**
 * Incoming bytes of a connection, measured before the parser sees them. undici limits the names and values of headers, but
 * not their number, the reason phrase, chunk extensions and stray lines, and it keeps every piece of a slow head. A target
 * could make that cost minutes of CPU and gigabytes of memory. So the parser gets a head when it is complete and a body in
 * small pieces. Interim responses (1xx) end here, and unsolicited bytes close the connection.
 */
import type { Socket } from 'node:net';
import { BadAnswer } from './failure.ts';

/** Most bytes on the wire of the status lines and headers of one answer, interim responses included. */
const maxHeadBytes = 16 * 1024;
/** Most interim responses before an answer. */
const maxInterimResponses = 16;
/** Most bytes of chunk sizes, extensions and trailers between two pieces of the body, or after the last. */
const maxFramingBytes = 2048;
/** Most bytes of a body that the parser gets at a time, so that it can be stopped early. */
const maxPieceBytes = 1024;

const versionStart = 'HTTP/1.';

/**
 * Guards what is read from a socket: only bytes that answer a request pass. Readers must use `read()`, as undici does.
 * `onUse` learns what the connection is used for.
 */
export class Incoming {
  readonly #socket: Socket;
  readonly #readSocket: (size?: number) => Buffer | null;
  readonly #onUse: (use: 'answer' | 'idle') => void;
  #phase: 'idle' | 'head' | 'body' = 'idle';
  /** Read from the socket and not examined yet. */
  #pending: Buffer | null = null;
  /** The beginning of a head that came in pieces. */
  #held: Buffer | null = null;
  #heldBytes = 0;
  #interimBytes = 0;
  #interimResponses = 0;
  #framingBytes = 0;

  constructor(socket: Socket, onUse: (use: 'answer' | 'idle') => void) {
    this.#socket = socket;
    this.#onUse = onUse;
    this.#readSocket = socket.read.bind(socket);
    // Node reads size 0 to start the flow of data.
    socket.read = (size) => (size === 0 ? this.#readSocket(0) : this.#read());
  }

  /** A request is written: the bytes that follow answer it. */
  expectAnswer(): void {
    this.#phase = 'head';
    this.#interimBytes = 0;
    this.#interimResponses = 0;
    this.#onUse('answer');
  }

  /** The parser found bytes of the body. */
  bodySeen(): void {
    this.#framingBytes = 0;
  }

  /** The answer is complete: any further bytes are unsolicited. */
  answerComplete(): void {
    this.#phase = 'idle';
    this.#onUse('idle');
  }

  #read(): Buffer | null {
    for (;;) {
      const pending = this.#pending;
      const chunk = pending === null || pending.length === 0 ? this.#readSocket() : pending;
      this.#pending = null;
      if (chunk === null || this.#socket.destroyed) return null;
      if (this.#phase === 'idle') {
        this.#socket.destroy();
        return null;
      }
      const passed = this.#phase === 'head' ? this.#readHead(chunk) : this.#readBody(chunk);
      if (passed !== null) return passed;
    }
  }

  #refuse(why: string): null {
    this.#socket.destroy(new BadAnswer(why));
    return null;
  }

  /** Returns the head once it is complete, with the first piece of the body if that came with it. */
  #readHead(chunk: Buffer): Buffer | null {
    const taken = chunk.subarray(0, maxHeadBytes - this.#interimBytes - this.#heldBytes);
    let head = taken;
    if (this.#held !== null) {
      taken.copy(this.#held, this.#heldBytes);
      head = this.#held.subarray(0, this.#heldBytes + taken.length);
    }
    if (!versionStart.startsWith(head.toString('latin1', 0, versionStart.length))) {
      return this.#refuse('the answer is not valid HTTP/1.1');
    }
    const end = headEnd(head, Math.max(0, this.#heldBytes - 3));
    if (end !== -1) {
      return isInterim(head) ? this.#skipInterim(head, chunk, end) : this.#pass(head, chunk, end);
    }
    if (taken.length < chunk.length) {
      return this.#refuse('the response headers are larger than 16 KiB');
    }
    if (this.#held === null) {
      this.#held = Buffer.allocUnsafeSlow(maxHeadBytes - this.#interimBytes);
      taken.copy(this.#held);
    }
    this.#heldBytes = head.length;
    return null;
  }

  #skipInterim(head: Buffer, chunk: Buffer, end: number): null {
    this.#interimBytes += end;
    this.#interimResponses++;
    this.#pending = chunk.subarray(end - this.#heldBytes);
    this.#dropHeld();
    if (isSwitch(head)) return this.#refuse('the target switched protocols (101), unasked');
    if (this.#interimResponses > maxInterimResponses) {
      return this.#refuse('too many interim responses (1xx)');
    }
    return null;
  }

  #pass(head: Buffer, chunk: Buffer, end: number): Buffer {
    this.#phase = 'body';
    const isWhole = this.#held === null;
    const passed = isWhole ? chunk.subarray(0, end + maxPieceBytes) : head.subarray(0, end);
    this.#framingBytes = passed.length - end;
    this.#pending = chunk.subarray(passed.length - this.#heldBytes);
    this.#dropHeld();
    return passed;
  }

  #dropHeld(): void {
    this.#held = null;
    this.#heldBytes = 0;
  }

  #readBody(chunk: Buffer): Buffer | null {
    const piece = chunk.subarray(0, maxPieceBytes);
    if (this.#framingBytes > maxFramingBytes) {
      return this.#refuse('the chunk extensions or trailers of the body are larger than 2 KiB');
    }
    this.#framingBytes += piece.length;
    this.#pending = chunk.subarray(piece.length);
    return piece;
  }
}

/** Where the body begins; -1 if the head is not complete. Bare line feeds count here, the parser refuses them. */
function headEnd(head: Buffer, from: number): number {
  const crlf = head.indexOf('\n\r\n', from, 'latin1');
  const lf = head.indexOf('\n\n', from, 'latin1');
  if (lf !== -1 && (crlf === -1 || lf < crlf)) return lf + 2;
  return crlf === -1 ? -1 : crlf + 3;
}

function isInterim(head: Buffer): boolean {
  return /^HTTP\/1\.\d 1\d\d(?!\d)/.test(head.toString('latin1', 0, 13));
}

function isSwitch(head: Buffer): boolean {
  return head.toString('latin1', 9, 12) === '101';
}
