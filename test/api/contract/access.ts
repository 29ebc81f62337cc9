/** Promises about keys, errors, limits and versions (docs/behavior.md#keys). */

import assert from 'node:assert/strict';
import { newCustomer, nowhere } from '../../support/records/customer.ts';
import type { Customer, Promised } from '../../support/records/customer.ts';
import { startSink } from '../../support/fakes/sink.ts';

const unknownKey = `cp_${'0'.repeat(64)}`;

/** Every operation that needs a key: method, path for a job and a run, and a valid body. */
function keyedOperations(id: string, runId: string): [string, string, object?][] {
  return [
    ['GET', '/jobs'],
    ['POST', '/jobs', { name: 'a', url: nowhere }],
    ['GET', `/jobs/${id}`],
    ['PATCH', `/jobs/${id}`, { name: 'b' }],
    ['DELETE', `/jobs/${id}`],
    ['POST', `/jobs/${id}/run`],
    ['GET', `/jobs/${id}/runs`],
    ['GET', `/jobs/${id}/runs/${runId}`],
    ['GET', `/jobs/${id}/runs/${runId}/receipt`],
  ];
}

async function ranJob({ createJob, run }: Customer): Promise<{ id: string; runId: string }> {
  const { id } = await createJob();
  return { id, runId: (await run(id)).id };
}

const keys: readonly Promised[] = [
  {
    section: 'keys',
    promise: 'every operation but the receipt key needs a valid key',
    async check(customer) {
      const { id, runId } = await ranJob(customer);
      for (const [method, path, body] of keyedOperations(id, runId)) {
        for (const key of [null, 'cp_1', unknownKey]) {
          await customer.refused(401, method, path, { body, key });
        }
      }
    },
  },
  {
    section: 'keys',
    promise: 'the receipt key needs no key',
    async check({ call }) {
      const { status } = await call('GET', '/receipts/key', { key: null });
      assert.ok(status === 200 || status === 503, `it is ${status}`);
    },
  },
  {
    section: 'keys',
    promise: 'a key is cp_ and 64 hexadecimal digits',
    check: async ({ key, newKey }) => {
      for (const each of [key, await newKey('read')]) assert.match(each, /^cp_[0-9a-f]{64}$/);
    },
  },
  {
    section: 'keys',
    promise: 'a key sees only its own workspace',
    async check(customer) {
      const { siteUrl: url, dataDir } = customer;
      const { id, runId } = await ranJob(customer);
      const stranger = await newCustomer({ url, dataDir });
      for (const [method, path, body] of keyedOperations(id, runId)) {
        if (path !== '/jobs') await stranger.refused(404, method, path, { body });
      }
      assert.deepEqual((await stranger.call('GET', '/jobs')).body.jobs, []);
      const body = { name: 'a', url: nowhere, workspaceId: customer.workspaceId };
      await stranger.refused(403, 'POST', '/jobs', { body });
      assert.equal((await customer.readJob(id)).id, id);
    },
  },
  {
    section: 'keys',
    promise: 'a read-only key gets 403 for every change',
    async check(customer) {
      const key = await customer.newKey('read');
      const { id, runId } = await ranJob(customer);
      for (const [method, path, body] of keyedOperations(id, runId)) {
        if (method !== 'GET') await customer.refused(403, method, path, { body, key });
        else assert.notEqual((await customer.call(method, path, { key })).status, 403);
      }
      assert.equal((await customer.readJob(id)).name, 'a job');
    },
  },
];

const errors: readonly Promised[] = [
  {
    section: 'errors',
    promise: 'every failure is { error } with a message',
    async check({ refused }) {
      await refused(400, 'POST', '/jobs', { body: {} });
      await refused(401, 'GET', '/jobs', { key: unknownKey });
      await refused(404, 'GET', '/jobs/1');
      await refused(404, 'GET', '/nowhere');
      await refused(413, 'POST', '/jobs', { body: 'x'.repeat(300 * 1024) });
    },
  },
  {
    section: 'errors',
    promise: 'a body that is not JSON is 400',
    async check({ baseUrl, key }) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(`${baseUrl}/jobs`, {
        method: 'POST',
        headers,
        body: '{"name":',
      });
      assert.equal(response.status, 400);
      const body = (await response.json()) as object;
      assert.deepEqual(Object.keys(body), ['error']);
    },
  },
];

const limits: readonly Promised[] = [
  {
    section: 'limits',
    promise: 'a key may send 120 requests a minute; the next one is 429 with Retry-After: 60',
    async check({ call, refused, newKey }) {
      const key = await newKey('read');
      for (let count = 0; count < 120; count += 1) {
        assert.equal((await call('GET', '/jobs', { key })).status, 200, `request ${count + 1}`);
      }
      const { headers } = await refused(429, 'GET', '/jobs', { key });
      assert.equal(headers.get('retry-after'), '60');
      assert.equal((await call('GET', '/jobs')).status, 200, 'other keys still work');
    },
  },
  {
    section: 'limits',
    promise: 'a page holds 50 items unless limit is given',
    async check({ createJob, newKey, call }) {
      for (let count = 0; count < 51; count += 1) await createJob();
      const key = await newKey('read');
      const first = (await call('GET', '/jobs', { key })).body;
      assert.equal(first.jobs.length, 50);
      const whole = (await call('GET', '/jobs?limit=100', { key })).body;
      assert.deepEqual([whole.jobs.length, whole.nextCursor], [51, null]);
    },
  },
  {
    section: 'limits',
    promise: 'an Idempotency-Key has at most 128 characters',
    async check({ createJob, call, refused }) {
      const { id } = await createJob();
      const longest = 'k'.repeat(128);
      const [over, fits] = [`${longest}k`, longest].map((key) => ({ 'idempotency-key': key }));
      await refused(400, 'POST', `/jobs/${id}/run`, { headers: over ?? {} });
      const { status } = await call('POST', `/jobs/${id}/run`, { headers: fits ?? {} });
      assert.equal(status, 202);
    },
  },
  {
    section: 'limits',
    promise: 'targets are public addresses only',
    async check({ refused }) {
      const hosts = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'];
      const others = ['0.0.0.0', '224.0.0.1', '[::1]', '[fc00::1]', '[::ffff:10.0.0.1]', '127.1'];
      for (const host of [...hosts, ...others]) {
        const body = { name: 'a', url: `http://${host}/` };
        await refused(400, 'POST', '/jobs', { body });
      }
    },
  },
  {
    section: 'limits',
    promise: 'targets are on ports 80 and 443 only',
    async check({ createJob, refused }) {
      for (const url of ['http://93.184.216.34:80/', 'http://93.184.216.34:443/']) {
        await createJob({ url, paused: true });
      }
      for (const port of [1, 22, 8080, 65_535]) {
        const body = { name: 'a', url: `http://93.184.216.34:${port}/` };
        await refused(400, 'POST', '/jobs', { body });
      }
    },
  },
  {
    section: 'limits',
    promise: 'a redirect is a failure and is not followed',
    async check({ createJob, run }, t) {
      const { url, received } = await startSink(t, (response) =>
        response.writeHead(302, { location: '/elsewhere' }).end(),
      );
      const ended = await run((await createJob({ url, retries: 2 })).id);
      assert.deepEqual([ended.status, ended.httpStatus, ended.attempts], ['failed', 302, 1]);
      assert.equal(received.length, 1);
    },
  },
];

const versions: readonly Promised[] = [
  {
    section: 'the-api',
    promise: 'every path contains the version v1',
    async check({ siteUrl, key, baseUrl }) {
      const headers = { authorization: `Bearer ${key}` };
      assert.equal(baseUrl, `${siteUrl}/api/v1`);
      for (const path of ['/jobs', '/api/jobs', '/api/v2/jobs']) {
        assert.equal((await fetch(siteUrl + path, { headers })).status, 404, path);
      }
    },
  },
  {
    section: 'the-api',
    promise: 'the API description has version 1.1.0',
    async check({ baseUrl }) {
      const response = await fetch(`${baseUrl}/openapi.json`);
      assert.equal(response.status, 200);
      const { info } = (await response.json()) as { info: { version: string } };
      assert.equal(info.version, '1.1.0');
    },
  },
];

export const accessPromises: readonly Promised[] = [...keys, ...errors, ...limits, ...versions];
