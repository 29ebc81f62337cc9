/** Ports for programs that cannot say which one they took, or take the same one again. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems hand out by themselves, so that only tests ask for them. */
const [first, count] = [20_000, 10_000];
const tries = 1_000;

let next = (process.pid * 37) % count;

/**
 * A port of 127.0.0.1 that nothing listens on, for this process alone: until it ends, it holds the UDP port of the same number,
 * which keeps other processes of tests away from it.
 */
export async function ownPort(): Promise<number> {
  for (let tried = 0; tried < tries; tried += 1) {
    const port = first + next;
    next = (next + 1) % count;
    if ((await isHeld(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port among ${tries}`);
}

async function isHeld(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await once(socket, 'listening');
    return true;
  } catch {
    socket.close();
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
