/**
 * What comes in on a connection, measured before the parser sees it. undici counts the names and values
 * of headers, but neither their number nor the reason phrase, chunk extensions and stray lines; and it keeps
 * every piece of a head that drips. A target could make that cost minutes of CPU and gigabytes of memory.
 * So the parser gets a head when it is complete, interim responses (1xx) end here, a body comes in small
 * pieces, and what was not asked for closes the connection.
 */
import type { Socket } from 'node:net';

/** Status lines and headers of one answer, its interim responses included, in bytes on the wire. */
const maxHeadBytes = 16 * 1024;
/** Interim responses that a target may send before its answer. */
const maxInterimResponses = 16;
/** Chunk sizes, extensions and trailers between two pieces of body, or after the last. */
const maxFramingBytes = 2048;
/** The parser gets no more of a body at a time, so that it can be stopped in time. */
const maxPieceBytes = 1024;

const versionStart = 'HTTP/1.';

/** Closes a connection whose target breaks the rules of HTTP/1.1; its message is for people. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** Follows the requests on a connection: only what answers one is let through. */
export interface Incoming {
  /** A request is written: what comes now answers it. */
  expectAnswer(): void;
  /** The parser found bytes of the body. */
  bodySeen(): void;
  /** The answer is complete: what comes now was not asked for. */
  answerComplete(): void;
}

/**
 * Guards what is read from a socket. Whoever reads from it must do so with `read()`, as undici does. `onUse` hears what the
 * connection is used for.
 */
export function guardIncoming(socket: Socket, onUse: (use: 'answer' | 'idle') => void): Incoming {
  let phase: 'idle' | 'head' | 'body' = 'idle';
  /** Read from the socket, not yet looked at. */
  let pending: Buffer | null = null;
  /** The beginning of a head that came in pieces. */
  let held: Buffer | null = null;
  let heldBytes = 0;
  let interimBytes = 0;
  let interimResponses = 0;
  let framingBytes = 0;

  function refuse(why: string): null {
    socket.destroy(new BadAnswer(why));
    return null;
  }

  /** Returns the head once it is complete, with the first piece of body if that came with it. */
  function readHead(chunk: Buffer): Buffer | null {
    const room = maxHeadBytes - interimBytes - heldBytes;
    const taken = chunk.subarray(0, room);
    let head = taken;
    if (held !== null) {
      taken.copy(held, heldBytes);
      head = held.subarray(0, heldBytes + taken.length);
    }
    if (!versionStart.startsWith(head.toString('latin1', 0, versionStart.length))) {
      return refuse('the answer is not valid HTTP/1.1');
    }
    const end = headEnd(head, Math.max(0, heldBytes - 3));
    if (end === -1) {
      if (taken.length < chunk.length) return refuse('the response headers are larger than 16 KiB');
      if (held === null) {
        held = Buffer.allocUnsafeSlow(maxHeadBytes - interimBytes);
        taken.copy(held);
      }
      heldBytes = head.length;
      return null;
    }
    return isInterim(head) ? passOver(head, chunk, end) : handOn(head, chunk, end);
  }

  function passOver(head: Buffer, chunk: Buffer, end: number): null {
    interimBytes += end;
    interimResponses++;
    pending = chunk.subarray(end - heldBytes);
    dropHeld();
    if (isSwitch(head)) return refuse('the target switched protocols (101), unasked');
    if (interimResponses > maxInterimResponses) return refuse('too many interim responses (1xx)');
    return null;
  }

  function handOn(head: Buffer, chunk: Buffer, end: number): Buffer {
    phase = 'body';
    const isWhole = held === null;
    const handedOn = isWhole ? chunk.subarray(0, end + maxPieceBytes) : head.subarray(0, end);
    framingBytes = handedOn.length - end;
    pending = chunk.subarray(handedOn.length - heldBytes);
    dropHeld();
    return handedOn;
  }

  function dropHeld(): void {
    held = null;
    heldBytes = 0;
  }

  function readBody(chunk: Buffer): Buffer | null {
    const piece = chunk.subarray(0, maxPieceBytes);
    if (framingBytes > maxFramingBytes) {
      return refuse('the chunk extensions or trailers of the body are larger than 2 KiB');
    }
    framingBytes += piece.length;
    pending = chunk.subarray(piece.length);
    return piece;
  }

  const readSocket = socket.read.bind(socket);
  socket.read = (size?: number): Buffer | null => {
    // Node asks for nothing to set reading going.
    if (size === 0) return readSocket(0);
    for (;;) {
      const chunk: Buffer | null =
        pending === null || pending.length === 0 ? readSocket() : pending;
      pending = null;
      if (chunk === null || socket.destroyed) return null;
      if (phase === 'idle') {
        socket.destroy();
        return null;
      }
      const passed = phase === 'head' ? readHead(chunk) : readBody(chunk);
      if (passed !== null) return passed;
    }
  };

  return {
    expectAnswer() {
      phase = 'head';
      interimBytes = 0;
      interimResponses = 0;
      onUse('answer');
    },
    bodySeen() {
      framingBytes = 0;
    },
    answerComplete() {
      phase = 'idle';
      onUse('idle');
    },
  };
}

/** Where the body begins; -1 if the head is not complete. The parser refuses bare line feeds, in good time. */
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
