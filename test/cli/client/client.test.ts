import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { createApi, type Api } from '../../../src/cli/client/api.ts';
import { createAsker, pages } from '../../../src/cli/client/client.ts';
import { serverTime } from '../../../src/cli/client/exchange.ts';
import { JobdError } from '../../../src/domain/errors.ts';
import { startTarget } from '../../support/fakes/target.ts';

/** A client with this timeout, for a server with this request handler. */
async function clientOf(
  t: TestContext,
  handle: RequestListener,
  timeoutMs = 60_000,
): Promise<{ url: string; client: Api }> {
  const server = await startTarget(handle);
  t.after(() => server[Symbol.asyncDispose]());
  const { url } = server;
  const apiKey = `cp_${'0'.repeat(64)}`;
  return { url, client: createApi(createAsker({ url, apiKey }, { timeoutMs })) };
}

async function assertTooLate(asked: Promise<unknown>, sentence: string): Promise<void> {
  const error = await asked.then(
    () => assert.fail('it was answered'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof JobdError, String(error));
  assert.deepEqual([error.message, error.exitCode], [sentence, 7]);
}

// Without its own timeout the client would wait five minutes, and the test would time out.
const limits = { timeout: 60_000 };

test('a server that never answers times out and is named', limits, async (t) => {
  const { url, client } = await clientOf(t, () => {}, 500);
  await assertTooLate(client.jobs.get('a'), `no answer from ${url} within 0.5 s`);
  await assertTooLate(
    client.jobs.run('a'),
    `no answer from ${url} within 0.5 s; the request may have been carried out`,
  );
});

const beginAnswer: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"job":');
};

test('an answer that never ends times out too', limits, async (t) => {
  const { url, client } = await clientOf(t, beginAnswer, 500);
  await assertTooLate(client.jobs.get('a'), `no answer from ${url} within 0.5 s`);
});

test('each request has the full timeout', async (t) => {
  const { client } = await clientOf(t, (_, response) => response.end('{"job":{"id":"a"}}'), 70_000);
  const timeout = t.mock.method(AbortSignal, 'timeout');
  for (let count = 0; count < 3; count += 1) assert.equal((await client.jobs.get('a')).id, 'a');
  assert.deepEqual(
    timeout.mock.calls.map((call) => call.arguments),
    [[70_000], [70_000], [70_000]],
  );
});

test('an answer that is not from jobd is reported', limits, async (t) => {
  const same = '{"jobs":[],"nextCursor":"again"}';
  for (const answer of ['', 'null', '{}', '[]', '"jobs"', '<html>', '{"jobs":7}', same]) {
    const { client } = await clientOf(t, (_, response) => void response.end(answer));
    await assert.rejects(
      Array.fromAsync(client.jobs.list()),
      (error: unknown) =>
        error instanceof JobdError &&
        error.exitCode === 7 &&
        error.message.endsWith('does not answer like jobd; check its URL'),
      answer,
    );
  }
});

test('another program that answers is noticed, whatever it answers', limits, async (t) => {
  for (const [status, answer] of [
    [200, '{"status":"ok"}'],
    [401, '{"message":"no"}'],
    [404, '{"error":{"code":1}}'],
    [403, '<html>'],
  ] as const) {
    const { client } = await clientOf(t, (_, response) => response.writeHead(status).end(answer));
    for (const asked of [
      () => client.jobs.get('a'),
      () => client.jobs.find('backup'),
      () => client.jobs.act('pause', ['a']),
      () => client.runs.get('a', 'b'),
      () => client.monitors.update('a', {}),
    ]) {
      await assert.rejects(asked, { code: 'unreachable', message: /does not answer like jobd/ });
    }
  }
  const { client } = await clientOf(t, (_, response) => response.writeHead(502).end('<html>'));
  await assert.rejects(() => client.jobs.get('a'), { message: /answered with status 502$/ });
});

test('an answer longer than any of jobd is given up', limits, async (t) => {
  let sent = 0;
  const part = Buffer.alloc(1_048_576, 'x');
  const { client } = await clientOf(
    t,
    (_, response) => {
      const send = (): void => {
        while (!response.destroyed && response.write(part)) sent += 1;
        sent += 1;
      };
      response.on('drain', send);
      send();
    },
    30_000,
  );
  await assert.rejects(client.jobs.get('a'), {
    code: 'unreachable',
    message: 'the answer is longer than 64 MiB, which none of jobd is; check the URL of the server',
  });
  assert.ok(sent >= 64 && sent < 200, `${sent} MiB`);
});

test('pages that never end are given up', async () => {
  let asked = 0;
  const list = (next: () => string, items: number) =>
    Array.fromAsync(
      pages<number>(
        async <T>() => {
          asked += 1;
          return { jobs: Array.from({ length: items }, () => 1), nextCursor: next() } as T;
        },
        '/jobs',
        'jobs',
      ),
    );
  const words = /does not answer like jobd/;
  await assert.rejects(
    list(() => String(asked % 2), 1),
    words,
  );
  assert.equal(asked, 3, 'cursors that come again');
  await assert.rejects(
    list(() => String(asked), 1),
    words,
  );
  assert.ok(asked > 10_000 && asked < 30_000, `${asked} pages`);
  await assert.rejects(
    list(() => 'more', 101),
    words,
  );
});

test(
  'what makes something is repeated with its key if the answer is lost, and nothing else is',
  limits,
  async (t) => {
    const asked: (string | undefined)[] = [];
    const { client } = await clientOf(t, (request, response) => {
      asked.push(request.headers['idempotency-key'] as string | undefined);
      if (asked.length === 1) request.socket.destroy();
      else if (asked.length === 2) response.writeHead(503).end('{"error":"in doubt"}');
      else response.writeHead(201).end('{"job":{"id":"a"}}');
    });
    assert.equal((await client.jobs.create({ name: 'a', url: 'http://127.0.0.1/' })).id, 'a');
    assert.equal(asked.length, 3);
    assert.match(asked[0] ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(new Set(asked).size, 1);
    asked.length = 0;
    await assert.rejects(client.jobs.update('a', { name: 'b' }), { code: 'unreachable' });
    assert.deepEqual(asked, [undefined]);
  },
);

test('the time of the server is known by its answers, if its clock is another', async (t) => {
  let behindMs = 600_000;
  const { client } = await clientOf(t, (_, response) => {
    response.setHeader('date', new Date(Date.now() - behindMs).toUTCString());
    response.end('{"job":{"id":"a"}}');
  });
  await client.jobs.get('a');
  const shownMs = Date.now() - serverTime();
  assert.ok(Math.abs(shownMs - behindMs) <= 60_000, `${shownMs}`);
  behindMs = 0;
  await client.jobs.get('a');
  assert.ok(Math.abs(Date.now() - serverTime()) < 60_000);
});
