/** A stop does not wait for clients that have not finished their request. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { serveCommand } from '../../support/running/command.ts';

test('a client in the middle of a request does not delay the stop of the daemon', async (t) => {
  const daemon = await serveCommand(t);
  const { hostname, port } = new URL(daemon.url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: ');
  // The server has read it once it answers a later connection.
  await fetch(`${daemon.url}/healthz`);
  const began = performance.now();
  const { exitCode } = await daemon.stop('SIGTERM');
  assert.equal(exitCode, 0);
  assert.ok(performance.now() - began < 20_000, 'it waited for the client');
});
