/**
 * Closes a connection while the client may still be sending (RFC 9112 section 9.6). An immediate close would reset the
 * connection, and the client could lose the answer. Instead the server sends the answer and ends its side, drops further input
 * for a bounded time and amount, and then closes.
 */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long, and how many bytes, a client may continue to send after its answer. */
const lingerMs = 2_000;
const lingerBytes = 1024 * 1024;

/** Sends `lastWords`, if any, ends the server's side, and closes the connection after a while. */
export function closeGently(socket: Socket, lastWords = ''): void {
  if (socket.destroyed) return;
  socket.end(lastWords);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Returns a function that tells whether a client has sent at most the tolerated number of bytes since now. */
export function createPatience(socket: Socket): () => boolean {
  const atEnd = socket.bytesRead;
  return () => socket.bytesRead - atEnd <= lingerBytes;
}

/** Closes the connection gently after the answer to a request whose body is still arriving. */
export function closeAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  const isPatient = createPatience(socket);
  request.on('data', () => {
    if (!isPatient()) socket.destroy();
  });
  // Node calls this after an answer with `Connection: close`.
  socket.destroySoon = () => closeGently(socket);
}
