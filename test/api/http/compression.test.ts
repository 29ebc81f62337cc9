import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startTestDaemon } from '../../support/running/daemon.ts';

async function ask(url: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { headers }, resolve).once('error', reject).end();
  const response = await promise;
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

test('a text that is the same for everybody is compressed, and known again', async (t) => {
  const { url } = await startTestDaemon(t);
  for (const path of ['/docs', '/api/v1/openapi.json', '/docs']) {
    const plain = await ask(url + path, {});
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.vary, 'Accept-Encoding');
    const packed = await ask(url + path, { 'accept-encoding': 'br, gzip' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(packed.headers['content-length'], `${packed.body.length}`);
    assert.ok(packed.body.length * 3 < plain.body.length);
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    const { etag = '' } = packed.headers;
    assert.equal(etag, `W/${plain.headers.etag}`);
    for (const known of [etag, plain.headers.etag ?? '']) {
      const again = await ask(url + path, { 'accept-encoding': 'gzip', 'if-none-match': known });
      assert.equal(again.status, 304);
      assert.equal(again.headers.vary, 'Accept-Encoding');
    }
  }
});

test('a long list is compressed, a short answer and an error are not', async (t) => {
  const origin = 'https://app.example.com';
  const daemon = await startTestDaemon(t, { flags: { corsOrigin: [origin] } });
  const headers = { authorization: `Bearer ${daemon.key}`, 'accept-encoding': 'gzip', origin };
  const made = Array.from({ length: 12 }, (_, index) => ({
    name: `job ${index}`,
    url: 'https://example.com/',
    cronExpr: '0 3 * * *',
  }));
  for (const job of made) assert.equal((await daemon.ask('POST', '/jobs', job)).status, 201);
  const list = await ask(`${daemon.url}/api/v1/jobs`, headers);
  assert.equal(list.headers['content-encoding'], 'gzip');
  assert.equal(list.headers.vary, 'Origin, Accept-Encoding');
  assert.equal(JSON.parse(gunzipSync(list.body).toString()).jobs.length, made.length);
  for (const path of ['/jobs?limit=1', '/jobs/none']) {
    const answer = await ask(`${daemon.url}/api/v1${path}`, headers);
    assert.equal(answer.headers['content-encoding'], undefined);
    assert.equal(answer.headers.vary, 'Origin');
  }
});
