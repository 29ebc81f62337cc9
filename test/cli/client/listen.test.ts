/** Reading events from a server, jobd or not. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Event } from '../../../src/api/events/contract.ts';
import { createListener } from '../../../src/cli/client/listen.ts';
import { startSink } from '../../support/fakes/sink.ts';

async function read(
  t: TestContext,
  answer: (response: ServerResponse) => unknown,
): Promise<Event[]> {
  const sink = await startSink(t, (response) => void answer(response));
  const listen = createListener({ url: sink.url, apiKey: `cp_${'0'.repeat(64)}` });
  const events: Event[] = [];
  for await (const event of listen(AbortSignal.timeout(20_000))) events.push(event);
  return events;
}

const stream = { 'content-type': 'text/event-stream; charset=utf-8' };

test('events are read however their bytes arrive; comments and unknown events are skipped', async (t) => {
  const text =
    'event: hello\ndata: {"workspaceId":"w"}\n\n:\n\nevent: later\ndata: {}\n\n' +
    'event: changed\ndata: {"runs":[{"jobId":"ü"}]}\n\nevent: changed\ndata: 17\n\nevent: end\ndata: {}\n\nevent: cut';
  const events = await read(t, async (response) => {
    response.writeHead(200, stream);
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte));
      await setImmediate();
    }
    response.end();
  });
  assert.deepEqual(events, [
    { event: 'hello', data: { workspaceId: 'w' } },
    { event: 'changed', data: { runs: [{ jobId: 'ü' }] } },
    { event: 'end', data: {} },
  ]);
});

test('a refusal has the words of the server, and what is no jobd is told apart', async (t) => {
  const refuse = read(t, (response) => response.writeHead(429).end('{"error":"8 are open"}'));
  await assert.rejects(refuse, { code: 'rate_limited', message: '8 are open' });
  const page = read(t, (response) => response.writeHead(200).end('<html>'));
  await assert.rejects(page, { code: 'unreachable', message: /does not answer like jobd/ });
  const endless = read(t, (response) => {
    response.writeHead(200, stream);
    const more = (): void => void (response.destroyed || response.write('x'.repeat(10_000), more));
    more();
  });
  await assert.rejects(endless, { code: 'unreachable', message: /does not answer like jobd/ });
  const broken = read(t, (response) => {
    response.writeHead(200, stream).write(':\n\n', () => response.destroy());
  });
  await assert.rejects(broken, { code: 'unreachable', message: /^no events from http/ });
});
