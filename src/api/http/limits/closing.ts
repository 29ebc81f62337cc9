/**
 * Closing a connection while the client still sends. A plain close would reset the connection, and the
 * client might lose the answer with it. So: the answer and the end of our side go out, what still comes
 * is dropped, for a bounded time and amount, and only then the connection is closed (RFC 9112 section 9.6).
 */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may go on sending after its answer, and how many bytes. */
const lingerMs = 2_000;
const lingerBytes = 1024 * 1024;

/** Ends our side, after `lastWords` if there are any, and drops what comes within bounds. */
export function closeGently(socket: Socket, lastWords = ''): void {
  if (socket.destroyed) return;
  socket.end(lastWords);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Whether a connection that was closed gently has sent more than is dropped patiently. */
export function createPatience(socket: Socket): () => boolean {
  const atEnd = socket.bytesRead;
  return () => socket.bytesRead - atEnd <= lingerBytes;
}

/** Once its answer is out, a request whose body is still on its way closes its connection gently. */
export function closeAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  const isPatient = createPatience(socket);
  request.on('data', () => {
    if (!isPatient()) socket.destroy();
  });
  // Node calls this when an answer with `Connection: close` is out.
  socket.destroySoon = () => closeGently(socket);
}
