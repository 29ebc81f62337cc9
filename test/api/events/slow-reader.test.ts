/** A client that reads slowly costs one event of memory, and hears that it missed something (docs/behavior.md#events-3). */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createEventWriter } from '../../../src/api/events/stream.ts';
import type { StreamEvent } from '../../../src/app/events.ts';
import { mostChangedIds } from '../../../src/domain/changes.ts';
import { newId } from '../../../src/domain/id.ts';
import { openSocket } from '../../support/hostile/raw.ts';
import { until } from '../../support/until.ts';

/** An answer that a writer may use, and the socket of its client, which reads nothing yet. */
async function setup(t: TestContext) {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => resolve(response.writeHead(200))).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = await openSocket(`http://127.0.0.1:${port}`);
  t.after(() => {
    client.destroy();
    server.close();
  });
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return { client, response: await promise };
}

/** The largest event there is. */
function largest(): StreamEvent {
  const runs = Array.from({ length: mostChangedIds }, () => ({
    id: newId(0),
    jobId: newId(0),
    status: 'interrupted' as const,
  }));
  return { event: 'changed', data: { jobs: [], runs, monitors: [], channels: [] } };
}

test('a reader that stalls has at most one event waiting, and hears one resync when it reads again', async (t) => {
  const { client, response } = await setup(t);
  const writer = createEventWriter(response);
  const event = largest();
  const bytes = JSON.stringify(event.data).length + 100;
  let most = 0;
  // 400 MB if they were kept.
  for (let count = 0; count < 20_000; count += 1) {
    writer.send(event);
    writer.comment();
    most = Math.max(most, response.writableLength);
    await setImmediate();
  }
  t.diagnostic(`an event has ${bytes} bytes, at most ${most} were waiting`);
  assert.ok(most < 2 * bytes, `${most} bytes were waiting`);
  assert.ok((response.socket?.bytesWritten ?? 0) < 20 * 1024 * 1024, 'it did stall');
  let text = '';
  client.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  client.resume();
  await until('the resync', () => text.includes('event: resync\n'));
  writer.send({ event: 'end', data: { reason: 'unavailable' } });
  await until('the end', () => text.includes('event: end\n'));
  const afterLast = text.slice(text.lastIndexOf('event: changed\n'));
  const names = [...afterLast.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  assert.deepEqual(names, ['changed', 'resync', 'end']);
});

test('a reader that stalls is not waited for at the end', async (t) => {
  const { response } = await setup(t);
  const writer = createEventWriter(response);
  const event = largest();
  await until('a full connection', async () => {
    for (let count = 0; count < 100 && response.writableLength === 0; count += 1) {
      writer.send(event);
      await setImmediate();
    }
    return response.writableLength > 0;
  });
  const closed = once(response, 'close');
  writer.send({ event: 'end', data: { reason: 'unavailable' } });
  writer.send({ event: 'end', data: { reason: 'unavailable' } });
  await closed;
  assert.equal(response.writableFinished, false);
});

test('what follows an end is not sent', async (t) => {
  const { client, response } = await setup(t);
  const writer = createEventWriter(response);
  writer.send({ event: 'hello', data: { workspaceId: 'w', version: '1', at: '' } });
  writer.send({ event: 'end', data: { reason: 'revoked' } });
  writer.send(largest());
  writer.comment();
  let text = '';
  client.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  client.resume();
  await until('the end', () => text.endsWith('0\r\n\r\n'));
  const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  assert.deepEqual(names, ['hello', 'end']);
});
