/**
 * Random requests to every operation: 32 each, half as many where it reads, 16 at a time. Each response is a success of
 * the operation or a documented error, and the service keeps running.
 *
 *   JOBD_FUZZ_RUNS=10000   requests for each operation (32)
 *
 * The wall clock does not move, so nothing created here falls due. Only jobs whose target is on
 * 127.0.0.1 are run by hand.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { assertConforms, refusesCookie } from '../support/checks/conformance.ts';
import { startClockedDaemon, type TestDaemon } from '../support/running/daemon.ts';
import { draftsOf, draftsOfAnywhere, validDraftOf } from '../support/hostile/fuzz-request.ts';
import type { Draft, Known, KnownIds } from '../support/hostile/fuzz-request.ts';
import { keepAliveClient, type RawAnswer, type RawRequest } from '../support/hostile/keep-alive.ts';
import { newCode, signIn } from '../support/running/browser.ts';
import { ping } from '../support/records/monitor.ts';
import { startSink } from '../support/fakes/sink.ts';
import { apiOperations, type ApiOperation } from '../support/operations.ts';
import { until } from '../support/until.ts';
import { addWorkspace } from '../support/records/workspace.ts';
import { repeatedBy } from '../support/dice.ts';

const runs = Number(process.env['JOBD_FUZZ_RUNS'] ?? 32);

/** Requests in flight at once. */
const parallel = 16;

/**
 * Errors that docs/behavior.md#errors lists for every operation; 503 is only for the receipt key.
 */
const documentedFailures = [400, 401, 402, 403, 404, 409, 413, 429];

interface Fuzzed {
  daemon: TestDaemon;
  known: Known;
  send: (request: RawRequest) => Promise<RawAnswer>;
  /** Advances the clock beyond the minute of the rate limit. */
  passMinute: () => Promise<void>;
  /** Creates a job whose target may be called. */
  addJob: (key: string) => Promise<string>;
  /** Runs a new job to its end. */
  runNewJob: (key: string) => Promise<{ id: string; runId: string }>;
  /** Replaces deleted resources. */
  refill: () => Promise<void>;
}

/** The parts of a service that are replaced from time to time because requests use them up. */
type Fresh = 'jobs and monitors' | 'channels' | 'nothing';

/** A service with a few jobs that ran once; unless `fresh`, a second run is within the minute. */
async function setup(t: TestContext, fresh: Fresh): Promise<Fuzzed> {
  const { daemon, clock } = await startClockedDaemon(t);
  const sink = await startSink(t);
  const other = await addWorkspace(daemon.dataDir);
  const keys = {
    write: daemon.key,
    read: await daemon.newKey('read'),
    foreign: await other.newKey('write'),
  };
  const session = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
  const owner = { cookie: session.cookie, 'x-jobd-workspace': session.workspaceId };
  const addJob = async (key: string): Promise<string> => {
    const { status, body } = await daemon.ask('POST', '/jobs', { name: 'a', url: sink.url }, key);
    assert.equal(status, 201, body.error);
    return body.job.id;
  };
  const addMonitor = async (key: string): Promise<string> => {
    const { status, body } = await daemon.ask('POST', '/monitors', { name: 'a' }, key);
    assert.equal(status, 201, body.error);
    assert.equal((await ping(`${body.monitor.pingUrl}/fail`)).status, 200);
    return body.monitor.id;
  };
  const addChannel = async (key: string): Promise<string> => {
    const input = { name: 'a', type: 'slack', config: { url: sink.url } };
    const { status, body } = await daemon.ask('POST', '/channels', input, key);
    assert.equal(status, 201, body.error);
    return body.channel.id;
  };
  const addWindow = async (key: string): Promise<string> => {
    const input = { name: 'a', effect: 'mute', durationSeconds: 604_800 };
    const { status, body } = await daemon.ask('POST', '/windows', input, key);
    assert.equal(status, 201, body.error);
    return body.window.id;
  };
  const addBadge = async (key: string): Promise<string> => {
    const { status, body } = await daemon.ask('POST', '/badges', { name: 'a' }, key);
    assert.equal(status, 201, body.error);
    return body.badge.id;
  };
  const addDelivery = async (key: string) => {
    const channelId = await addChannel(key);
    const tested = await daemon.ask('POST', `/channels/${channelId}/test`, undefined, key);
    assert.equal(tested.status, 202, tested.body.error);
    return { channelId, deliveryId: String(tested.body.delivery.id) };
  };
  const runNewJob = async (key: string): Promise<{ id: string; runId: string }> => {
    const id = await addJob(key);
    const { status, body } = await daemon.ask('POST', `/jobs/${id}/run`, undefined, key);
    assert.equal(status, 202, body.error);
    const path = `/jobs/${id}/runs/${body.run.id}`;
    await until('the end of the run', async () => {
      const read = await daemon.ask('GET', path, undefined, key);
      return read.body.run.status === 'success';
    });
    return { id, runId: body.run.id };
  };
  const makeAll = async (key: string): Promise<KnownIds> => ({
    ...(await runNewJob(key)),
    monitorId: await addMonitor(key),
    ...(await addDelivery(key)),
    windowId: await addWindow(key),
    badgeId: await addBadge(key),
  });
  const own: KnownIds[] = [];
  const foreign: KnownIds[] = [];
  for (let count = 0; count < 3; count += 1) {
    own.push(await makeAll(keys.write));
    foreign.push(await makeAll(keys.foreign));
  }
  return {
    daemon,
    known: { own, foreign, keys, owner },
    send: keepAliveClient(t, daemon.url, parallel),
    passMinute: () => {
      clock.pass(60_001);
      return daemon.followClock();
    },
    addJob,
    runNewJob,
    async refill() {
      if (fresh === 'nothing') return;
      // Jobs that were run or deleted give less varied answers, so every batch gets fresh ones.
      const [known = assert.fail()] = own;
      const spent = own.splice(0, own.length - parallel / 2);
      if (fresh === 'channels') {
        // A workspace has 100 at most; some are deleted already.
        const paths = spent.map(({ channelId }) => `/channels/${channelId}`);
        await Promise.all(paths.map((path) => daemon.ask('DELETE', path)));
        clock.pass(60_001);
      }
      const renew = async (): Promise<Partial<KnownIds>> =>
        fresh === 'channels'
          ? { channelId: await addChannel(keys.write) }
          : { id: await addJob(keys.write), monitorId: await addMonitor(keys.write) };
      const missing = Array.from({ length: parallel - own.length }, renew);
      for (const ids of await Promise.all(missing)) own.push({ ...known, ...ids });
    },
  };
}

/** The requests to send, and the statuses they may get. */
interface Plan {
  drafts: fc.Arbitrary<Draft>;
  /** Sent before these. */
  first?: Draft;
  successes: readonly number[];
  /** Whether these are operations of the API, with a described response. */
  described: boolean;
  count: number;
}

/** Asserts what holds for every response. */
async function judge(
  request: RawRequest,
  answer: RawAnswer,
  { successes, described }: Plan,
): Promise<void> {
  const { status, text, headers } = answer;
  const what = describe(request, answer);
  assert.ok([...successes, ...documentedFailures].includes(status), `undocumented: ${what}`);
  if (!described && status === 200 && text.startsWith('<!doctype html>')) {
    // A page: the only answer outside of the API that is no JSON.
    assert.equal(request.method, 'GET', what);
    assert.match(
      headers['content-security-policy']?.toString() ?? '',
      /trusted-types 'none'/,
      what,
    );
    return;
  }
  const streams = status === 200 && request.path.includes('/events');
  const type = streams ? /^(application\/json|text\/event-stream)/ : /^application\/json/;
  assert.match(headers['content-type'] ?? '', type, what);
  const body = parsed(text, what);
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  const { method, path: url } = request;
  const asked = { method, url };
  const got = { status, headers: { get }, body };
  if (described && !refusesCookie(text)) await assertConforms(asked, got);
  if (status < 400) {
    assert.ok(!('error' in body), what);
    return;
  }
  assert.deepEqual(Object.keys(body), ['error'], what);
  const { error } = body;
  assert.ok(typeof error === 'string' && error.length > 0 && error.length < 1_000, what);
  assert.doesNotMatch(error, /\p{Cc}/u, what);
  if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer', what);
  if (status === 429) assert.equal(headers['retry-after'], '60', what);
}

function parsed(text: string, what: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return assert.fail(`no JSON: ${what}`);
  }
}

function describe(request: RawRequest, { status, text }: RawAnswer): string {
  const { method, path, headers, body } = request;
  const parts = [JSON.stringify(headers), body?.toString('latin1') ?? '', `→ ${status} ${text}`];
  return `${method} ${path} ${parts.map((part) => part.slice(0, 600)).join(' ')}`;
}

/** Sends all requests and returns the number of responses by status. */
async function fuzz(
  { known, send, passMinute, refill }: Fuzzed,
  plan: Plan,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const batches = fc.array(plan.drafts, { minLength: parallel, maxLength: parallel });
  const sendAll = async (batch: readonly Draft[]): Promise<void> => {
    await refill();
    await passMinute();
    await Promise.all(
      batch.map(async (draft) => {
        const request = draft(known);
        const answer = await send(request);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        await judge(request, answer, plan);
      }),
    );
  };
  if (plan.first !== undefined) await sendAll([plan.first]);
  await fc.assert(fc.asyncProperty(batches, sendAll), {
    numRuns: Math.ceil(plan.count / parallel),
    reporter: ({ failed, errorInstance, counterexamplePath }) => {
      if (!failed) return;
      // The smallest batch that fails is functions; the message of its failure shows the request.
      throw new Error(`${repeatedBy}, path ${counterexamplePath}`, { cause: errorInstance });
    },
  });
  return statuses;
}

function countsText(statuses: Map<number, number>): string {
  return [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ');
}

/** Operations that consume the resources they find. */
const used = new Map<string, Fresh>([
  ['runJob', 'jobs and monitors'],
  ['deleteJob', 'jobs and monitors'],
  ['deleteMonitor', 'jobs and monitors'],
  ['deleteChannel', 'channels'],
  ['testChannel', 'channels'],
]);

/** These end what the others ask with, or are tried by other tests. */
const untried = new Set(['signOut', 'endSession', 'revokeKey', 'getOpenApi']);
/** Statuses of success that the others cannot get here: no run of these jobs waits for a report. */
const bestStatus: Readonly<Record<string, number>> = {
  reportRun: 409,
  replayRun: 409,
  checkReplay: 409,
};

const operations = (await apiOperations()).filter(({ name }) => !untried.has(name));

/** Sends an operation's requests to a service, which still runs jobs afterwards. */
async function fuzzOperation(t: TestContext, operation: ApiOperation, fuzzed: Fuzzed) {
  const { name } = operation;
  const success = bestStatus[name] ?? operation.success;
  const successes = name === 'getReceiptKey' ? [success, 503] : [success];
  // Without a body to vary, more requests get no other answers.
  const count = operation.method === 'GET' ? runs / 2 : runs;
  const [drafts, first] = [draftsOf(operation), validDraftOf(operation)];
  const plan = { drafts, first, successes, described: true, count };
  const statuses = await fuzz(fuzzed, plan);
  t.diagnostic(`${repeatedBy}: ${countsText(statuses)}`);
  const usual = successes.find((status) => statuses.has(status));
  assert.ok(statuses.has(usual ?? success), 'some requests are good ones');
  await fuzzed.passMinute();
  await fuzzed.runNewJob(fuzzed.known.keys.write);
}

const promise = 'answers any request with success or a documented error';

// These change nothing, so they share a service.
test(`each operation that reads ${promise}`, async (t) => {
  const fuzzed = await setup(t, 'nothing');
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    await t.test(operation.name, (part) => fuzzOperation(part, operation, fuzzed));
  }
});

for (const operation of operations.filter(({ method }) => method !== 'GET')) {
  const { name } = operation;
  test(`${name} ${promise}`, async (t) => {
    await fuzzOperation(t, operation, await setup(t, used.get(name) ?? 'nothing'));
  });
}

test('any method and path is answered with a documented status', async (t) => {
  const fuzzed = await setup(t, 'nothing');
  const statuses = await fuzz(fuzzed, {
    drafts: draftsOfAnywhere,
    successes: [200, 201, 202, 503],
    described: false,
    count: runs,
  });
  t.diagnostic(`${repeatedBy}: ${countsText(statuses)}`);
  await fuzzed.passMinute();
  await fuzzed.runNewJob(fuzzed.known.keys.write);
});
