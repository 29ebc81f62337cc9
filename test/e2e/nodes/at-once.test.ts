/** What is asked of three nodes at the same moment: what an account may have, and how often something may be asked, holds for all. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startPostgres } from '../../support/postgres/server.ts';
import { signIn } from '../../support/running/browser.ts';
import { readAnswer, type Answer } from '../../support/running/daemon.ts';
import { jobd } from '../../support/running/executable.ts';
import { testSecretKey } from '../../support/running/local.ts';
import { bearer, send } from '../../support/running/send.ts';
import { until } from '../../support/until.ts';
import { prepareJobs } from '../postgres/prepared.ts';
import { skip } from '../postgres/service.ts';

const nodeCount = 3;
const many = 50;
/** What the plan `free` allows. */
const jobsOfFree = 10;
const keysOfAccount = 20;
const requestsOfKey = 120;

/** Asks a node. */
type Ask = (url: string) => Promise<Answer>;

/** Three nodes with one job, and a workspace of an account with the plan `free`. */
async function setup(t: TestContext, server: string) {
  const prepared = await prepareJobs(t, server, {
    jobs: ['by-hand', 'repeated'].map((name) => ({ name, periodSeconds: 3_600 })),
    keyCount: 3,
    answer: (response) => response.end('ok'),
  });
  const urls: string[] = [];
  for (let node = 0; node < nodeCount; node += 1) {
    urls.push(await (await prepared.start()).listening);
  }
  const env = { JOBD_DATABASE_URL: prepared.database, JOBD_SECRET_KEY: testSecretKey };
  const run = async (...words: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await jobd(words, env);
    assert.equal(exitCode, 0, stderr);
    return stdout.trim();
  };
  await run('account', 'create', 'acme', '--plan', 'free');
  await run('workspace', 'create', 'acme', '--account', 'acme');
  /** Asks all nodes in turn, this often at once. Returns how often each status was answered, and the bodies. */
  const atOnce = async (count: number, ask: Ask) => {
    const asked = Array.from({ length: count }, (_, turn) => ask(urls[turn % nodeCount] ?? ''));
    const answers = await Promise.all(asked);
    const statuses = Object.groupBy(answers, ({ status }) => status);
    const counts = Object.entries(statuses).map(([status, of]) => [Number(status), of?.length]);
    return { counts: Object.fromEntries(counts), bodies: answers.map(({ body }) => body) };
  };
  return { ...prepared, first: urls[0] ?? '', run, atOnce };
}

/** Asks a node with these headers. */
async function askWith(
  headers: Readonly<Record<string, string>>,
  url: string,
  [method, path, body]: [method: string, path: string, body?: object],
): Promise<Answer> {
  return await readAnswer(method, await send(`${url}/api/v1${path}`, method, body, headers));
}

test('what is asked of three nodes at the same moment', { skip }, async (t) => {
  await using server = await startPostgres();
  const { atOnce, run, first, jobs, keys, witness } = await setup(t, server.url);
  const [byHand, repeated] = jobs;

  await t.test('a job is run by hand once', async () => {
    const { counts } = await atOnce(many, (url) =>
      askWith(bearer(keys[0] ?? ''), url, ['POST', `/jobs/${byHand}/run`]),
    );
    const { 202: queued, 409: executing = 0, 429: tooOften = 0 } = counts;
    assert.deepEqual([queued, executing + tooOften], [1, many - 1]);
  });

  await t.test('requests with one Idempotency-Key make one run', async () => {
    const headers = { ...bearer(keys[1] ?? ''), 'idempotency-key': 'once' };
    const { counts, bodies } = await atOnce(many, (url) =>
      askWith(headers, url, ['POST', `/jobs/${repeated}/run`]),
    );
    assert.deepEqual(counts, { 202: many });
    assert.equal(new Set(bodies.map(({ run: { id } }) => id)).size, 1);
  });

  await t.test('a key may ask 120 times', async () => {
    const { counts } = await atOnce(3 * many, (url) =>
      askWith(bearer(keys[2] ?? ''), url, ['GET', '/me']),
    );
    assert.deepEqual(counts, { 200: requestsOfKey, 429: 3 * many - requestsOfKey });
  });

  await t.test('an account gets the jobs of its plan', async () => {
    const headers = bearer(await run('key', 'create', '--workspace', 'acme'));
    const job = { name: 'one of many', url: witness.url, cronExpr: '@daily' };
    const { counts } = await atOnce(many, (url) => askWith(headers, url, ['POST', '/jobs', job]));
    assert.deepEqual(counts, { 201: jobsOfFree, 403: many - jobsOfFree });
    const { body } = await askWith(headers, first, ['GET', '/jobs?limit=100']);
    assert.equal(body.jobs.length, jobsOfFree);
  });

  await t.test('an account gets 20 keys', async () => {
    const link = await run('open', '--workspace', 'acme');
    const { cookie, workspaceId } = await signIn(first, { code: link.split('#code=')[1] ?? '' });
    const headers = { cookie, 'x-jobd-workspace': workspaceId };
    const { counts } = await atOnce(many, (url) =>
      askWith(headers, url, ['POST', '/keys', { name: 'one of many', permission: 'write' }]),
    );
    // It has one already.
    const made = keysOfAccount - 1;
    assert.deepEqual(counts, { 201: made, 403: many - made });
  });

  await t.test('both jobs are called once', async () => {
    await until('two calls', () => witness.arrivals.length >= 2);
    const paths = witness.arrivals.map(({ path }) => path);
    assert.deepEqual(paths.toSorted(), ['/by-hand', '/repeated']);
  });
});
