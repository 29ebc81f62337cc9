/** Allowed targets and headers of a job (docs/behavior.md#call-1), tested through the API. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { startTestDaemon, type Answer } from '../../support/running/daemon.ts';

type Expect = 'allow' | 'reject';
interface Vectors {
  urls: { url: string; expect: Expect; why: string }[];
  headers: { name: string; value: string; expect: Expect; why: string }[];
}
const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/ssrf.json', import.meta.url), 'utf8'),
) as Vectors;

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Sends with a new key whenever the last one has used up its requests of a minute. */
async function setup(t: TestContext): Promise<Ask> {
  const { ask, newKey } = await startTestDaemon(t, { flags: { allowTarget: [] } });
  let asked = 0;
  let key = '';
  return async (method, path, body) => {
    if (asked++ % 120 === 0) key = await newKey('write');
    return await ask(method, path, body, key);
  };
}

const job = { name: 'a', url: 'https://example.com/', paused: true };

for (const [what, make] of [
  ['created', (ask: Ask) => (change: object) => ask('POST', '/jobs', { ...job, ...change })],
  [
    'changed',
    async (ask: Ask) => {
      const made = await ask('POST', '/jobs', job);
      return (change: object) => ask('PATCH', `/jobs/${made.body.job.id}`, change);
    },
  ],
] as const) {
  test(`a job is ${what} with exactly the allowed URLs; an error gives the reason`, async (t) => {
    const ask = await setup(t);
    const write = await make(ask);
    for (const { url, expect, why } of vectors.urls) {
      const { status, body } = await write({ url });
      const context = `${JSON.stringify(url)}, ${why}: ${JSON.stringify(body)}`;
      if (expect === 'allow') {
        assert.ok(status === 200 || status === 201, context);
        assert.equal(body.job.url, url, context);
      } else {
        assert.equal(status, 400, context);
        assert.match(body.error, /^url must /, context);
      }
    }
  });

  test(`a job is ${what} with exactly the allowed headers; an error gives the reason`, async (t) => {
    const ask = await setup(t);
    const write = await make(ask);
    for (const { name, value, expect, why } of vectors.headers) {
      const { status, body } = await write({ headers: { [name]: value } });
      const context = `${name}, ${why}: ${JSON.stringify(body)}`;
      if (expect === 'allow') assert.ok(status === 200 || status === 201, context);
      else assert.equal(status, 400, context);
      if (expect === 'reject') assert.match(body.error, /^headers/, context);
    }
  });
}

test('a refused URL changes nothing in the job', async (t) => {
  const ask = await setup(t);
  const made = await ask('POST', '/jobs', job);
  const path = `/jobs/${made.body.job.id}`;
  const { status, body } = await ask('PATCH', path, { name: 'b', url: 'http://127.1/' });
  assert.equal(status, 400);
  assert.match(body.error, /127\.0\.0\.1/);
  assert.deepEqual((await ask('GET', path)).body, made.body);
});
