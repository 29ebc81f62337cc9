/** Servers that ask for the password itself get it only where nobody in between can read it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';

/** AuthenticationCleartextPassword: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const wantsPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

test('a password in plain text is for this machine alone, unless TLS verifies the server', async (t) => {
  let heard = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(wantsPassword);
      socket.once('data', (bytes) => {
        heard += bytes.toString();
        socket.destroy();
      });
    });
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const urlAt = (host: string): string => `postgres://ann:s3cret@${host}:${port}/jobd`;

  // Linux connects to itself there, and nothing in the address says so.
  await assert.rejects(
    openStore(urlAt('0.0.0.0')),
    /0\.0\.0\.0:\d+\/jobd cannot be used: the server wants the password in plain text.*verify-full/,
  );
  assert.equal(heard, '');
  await assert.rejects(openStore(urlAt('127.0.0.1')), /cannot be used now/);
  assert.match(heard, /s3cret/);
});
