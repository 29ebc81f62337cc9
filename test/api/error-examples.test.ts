/**
 * The error examples in the published description are the server's real messages, except for ids
 * and times.
 */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { OpenApiDocument, Operation } from '../../src/api/description/openapi-document.ts';
import { createEvents } from '../../src/app/events.ts';
import { getReceiptKey } from '../../src/app/proof/receipts.ts';
import type { JobdError } from '../../src/domain/errors.ts';
import { openTestLocal } from '../support/running/local.ts';
import { addAccount } from '../support/records/account.ts';
import { addEmailChannel } from '../support/records/channel.ts';
import { quietApp } from '../support/running/app.ts';
import { newCode, postSession, signIn } from '../support/running/browser.ts';
import { startClockedDaemon, readAnswer, type Answer } from '../support/running/daemon.ts';
import { startSink } from '../support/fakes/sink.ts';
import { startHeldSink } from '../support/fakes/held-sink.ts';
import { exchange } from '../support/hostile/raw.ts';
import { apiOperations, unknownId, type ApiOperation } from '../support/operations.ts';
import { bearer, send } from '../support/running/send.ts';
import { until } from '../support/until.ts';
import { holdWriteLock } from '../support/running/write-lock.ts';
import { sqliteTest } from '../support/running/sqlite.ts';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const nowhere = 'http://127.0.0.1:1/';
const job = { name: 'a', url: nowhere, paused: true };
const channel = { name: 'a', type: 'webhook', config: { url: nowhere } };
const toCome = { from: '2100-01-01T00:00:00Z', durationSeconds: 60 };
const window = { name: 'patch night', effect: 'mute', ...toCome };
const mailChannel = { name: 'a', type: 'email', config: { to: 'a@example.com' } };
const noNotes: Partial<ApiOperation> = {};
/** What takes an `Idempotency-Key`, and is refused for one that was used. */
const keyed = new Set([
  'createJob',
  'copyJob',
  'createMonitor',
  'createWindow',
  'createBadge',
  'createKey',
]);
const huge = 'x'.repeat(300 * 1024);

function normalised(sentence: string): string {
  return sentence.replaceAll(uuid, 'ID').replaceAll(time, 'TIME');
}

/** A valid body; of an action, one that needs an account which has not ended. */
function bodyOf({ name, body }: Partial<ApiOperation>): object | undefined {
  if (name === 'actOnJobs') return { action: 'pause', ids: [unknownId] };
  return typeof body === 'function' ? body(unknownId, unknownId) : body;
}

function exampleOf({ responses }: Operation, status: string): string {
  const example = responses[status]?.content['application/json']?.example;
  return (example as { error: string } | undefined)?.error ?? 'no example';
}

interface Ids {
  jobs: string;
  monitors: string;
  pingId: string;
  signal: string;
  token: string;
  end: string;
  channels: string;
  windows: string;
  badges: string;
  badge: string;
  runId: string;
  deliveryId: string;
}

interface Place {
  method: string;
  path: string;
  operation: Operation;
}

type Ask = (method: string, path: string, body?: unknown, key?: string | null) => Promise<Answer>;

async function madeBy(ask: Ask): Promise<Ids> {
  const { id: jobs } = (await ask('POST', '/jobs', job)).body.job;
  const { id: monitors } = (await ask('POST', '/monitors', { name: 'a' })).body.monitor;
  const pingId =
    new URL((await ask('GET', `/monitors/${monitors}`)).body.monitor.pingUrl).pathname
      .split('/')
      .at(-1) ?? '';
  const { id: channels } = (await ask('POST', '/channels', channel)).body.channel;
  const { id: windows } = (await ask('POST', '/windows', window)).body.window;
  const made = (await ask('POST', '/badges', { name: 'a' })).body;
  const [badge = ''] = /cpb_\w+/.exec(made.pictureUrl) ?? [];
  const { run } = (await ask('POST', `/jobs/${jobs}/run`)).body;
  const { delivery } = (await ask('POST', `/channels/${channels}/test`)).body;
  await until('the run', async () => {
    const { status } = (await ask('GET', `/jobs/${jobs}/runs/${run.id}`)).body.run;
    return status === 'failed';
  });
  return {
    jobs,
    monitors,
    pingId,
    channels,
    windows,
    badges: made.badge.id,
    badge,
    runId: run.id,
    deliveryId: delivery.id,
    signal: 'start',
    token: 'none',
    end: 'progress',
  };
}

/** A run that waits for the report of its target. */
async function waitBy(t: TestContext, ask: Ask): Promise<Pick<Ids, 'jobs' | 'runId' | 'token'>> {
  const sink = await startSink(t, (response) => response.writeHead(202).end());
  const input = { ...job, url: sink.url, reportWithinSeconds: 86_400 };
  const { id } = (await ask('POST', '/jobs', input)).body.job;
  const { run } = (await ask('POST', `/jobs/${id}/run`)).body;
  await until('a wait', async () => {
    const { report } = (await ask('GET', `/jobs/${id}/runs/${run.id}`)).body.run;
    return report !== undefined;
  });
  const url = String(sink.received[0]?.headers['x-service-report-url']);
  return { jobs: id, runId: run.id, token: url.split('/').at(-1) ?? '' };
}

/** A path with these ids; for an unknown id, the last one. */
function pathFor(path: string, ids: Ids): string {
  const [, noun = ''] = /(\w+)\/\{id\}/.exec(path) ?? [];
  const values: Record<string, string> = { ...ids, id: ids[noun as 'jobs'] ?? '' };
  if (path.startsWith('/badge/')) values['token'] = ids.badge;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

sqliteTest("every error example is the server's real message", async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const ask: Ask = (...asked) => {
    clock.advanceBoth(61_000);
    return daemon.ask(...asked);
  };
  const { paths } = (await ask('GET', '/openapi.json')).body as OpenApiDocument;
  const operationNotes = new Map((await apiOperations()).map((one) => [one.name, one]));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const over = await waitBy(t, ask);
  await daemon.askSite('POST', `/report/${over.token}`);
  await until('the end of a wait', async () => {
    const path = `/jobs/${over.jobs}/runs/${over.runId}`;
    return (await ask('GET', path)).body.run.status === 'success';
  });
  const { token } = await waitBy(t, ask);
  const ids = { ...(await madeBy(ask)), token };
  const readKey = await daemon.newKey('read');
  const mailId = await addEmailChannel(daemon.dataDir);

  const expired = await addAccount(daemon, clock, 'pro', 14);
  const theirs = await madeBy((method, path, body) => ask(method, path, body, expired.key));
  clock.advance(15 * 86_400_000);

  const sink = await startHeldSink(t);
  const slow = { ...job, url: sink.url, timeoutSeconds: 60 };
  const { id: busy } = (await ask('POST', '/jobs', slow)).body.job;
  await ask('POST', `/jobs/${busy}/run`);
  await sink.waitFor(1);

  const spent = await daemon.newKey('read');
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir, { clock }) });
  const provoke = async (
    status: string,
    { operation: { operationId, security, servers }, method, path }: Place,
  ): Promise<Answer | { status: number; body: { error: string } } | null> => {
    const isOpen = security !== undefined;
    const notes = operationNotes.get(operationId) ?? noNotes;
    const { wrong, tooLong, changes } = notes;
    const body = bodyOf(notes);
    const isOwners = notes.only === 'owners';
    const base = servers === undefined ? '/api/v1' : '';
    const target = pathFor(path, ids);
    switch (status) {
      case '400': {
        if (typeof wrong === 'string') return await ask(method, `${target}${wrong}`);
        if (wrong !== undefined) return await ask(method, target, wrong);
        if (operationId.startsWith('list') && !isOpen)
          return await ask(method, `${target}?limit=0`);
        const key = operationId === 'runJob' ? `Idempotency-Key: ${'k'.repeat(129)}` : 'Host: b';
        const head = [`${method} ${base}${target} HTTP/1.1`, 'Host: a', key, 'Connection: close'];
        const text = [...head, `Authorization: Bearer ${daemon.key}`, '', ''].join('\r\n');
        clock.advanceBoth(61_000);
        const [answer] = await exchange(daemon.url, text);
        return { status: answer?.status ?? 0, body: JSON.parse(answer?.body ?? '') };
      }
      case '401': {
        return await ask(
          method,
          target,
          operationId === 'signIn' ? { code: '0' } : undefined,
          null,
        );
      }
      case '402':
        return await ask(method, pathFor(path, theirs), body, expired.key);
      case '403': {
        if (operationId === 'signIn') {
          return await postSession(daemon.url, {}, { 'sec-fetch-site': 'cross-site' });
        }
        return await ask(method, target, body, isOwners ? daemon.key : readKey);
      }
      case '404': {
        if (isOwners) {
          const unknown = target.replace(/\/keys\/.*/, `/keys/${unknownId}`);
          return await owner.ask(method, unknown, body);
        }
        if (operationId === 'endSession') return await ask(method, `/sessions/${unknownId}`);
        if (['listLedger', 'listReplayable'].includes(operationId))
          return await ask(method, `${target}?jobId=${unknownId}`);
        if (base === '') return await daemon.askSite(method, unknownOf(target));
        const lastId = target.match(uuid)?.at(-1) ?? '';
        return await ask(method, target.replace(lastId, unknownId), body);
      }
      case '409': {
        if (['getReceipt', 'replayRun', 'checkReplay'].includes(operationId))
          return await ask(method, target, body);
        if (base === '') return await daemon.askSite(method, target.replace(ids.token, over.token));
        if (operationId === 'reportRun') {
          return await ask(method, pathFor(path, { ...ids, ...over }), body);
        }
        if (operationId === 'createChannel') return await ask(method, target, mailChannel);
        if (operationId === 'applyDefinitions') return await ask(method, target, { mark: '' });
        if (keyed.has(operationId)) {
          const askWithKey = async (sent: object): Promise<Answer> => {
            const own = { 'idempotency-key': operationId };
            if (isOwners) return await owner.ask(method, target, sent, own);
            const url = `${daemon.url}/api/v1${target}`;
            const headers = { ...own, ...bearer(daemon.key) };
            return await readAnswer(method, await send(url, method, sent, headers));
          };
          await askWithKey({ ...body });
          return await askWithKey({ ...body, name: 'another' });
        }
        if (operationId === 'updateChannel' || operationId === 'testChannel') {
          const enabling = operationId === 'updateChannel' ? { enabled: true } : undefined;
          return await ask(method, pathFor(path, { ...ids, channels: mailId }), enabling);
        }
        const refusal = ask(method, pathFor(path, { ...ids, jobs: busy }), body);
        let isOver = false;
        void refusal.finally(() => (isOver = true));
        await until('a refusal', () => {
          // A change waits for the call for a while.
          if (!isOver) clock.pass(1_000);
          return isOver;
        });
        return await refusal;
      }
      case '413':
        if (base === '') return await longPing(target);
        return await ask(method, target, tooLong ?? huge);
      case '429': {
        if (operationId === 'getEvents') return await oneStreamTooMany(Infinity);
        if (operationId === 'runJob' || operationId === 'testChannel') {
          await ask(method, target);
          if (operationId === 'runJob') await until('the end', () => isIdle(target));
          return await daemon.ask(method, target);
        }
        const askOnce = (): Promise<Answer> =>
          base === ''
            ? daemon.askSite(method, unknownOf(target))
            : daemon.ask(method, target, undefined, isOpen ? null : spent);
        for (let count = 0; count < 300; count += 1) {
          const answer = await askOnce();
          if (answer.status === 429) return answer;
        }
        return await askOnce();
      }
      case '503': {
        if (operationId === 'getReceiptKey') return await unsigned();
        if (operationId === 'getEvents') return await oneStreamTooMany(1);
        if (base === '') return await daemon.askSite(method, target);
        // The error of a read needs a broken disk: same message, another SQLite reason.
        if (body === undefined || changes === 'nothing') return null;
        if (isOwners) return await owner.ask(method, target, body);
        return await ask(method, target, body);
      }
      default:
        return assert.fail(`${operationId} ${status}: nothing provokes it`);
    }
  };
  const unknownOf = (target: string): string =>
    [ids.pingId, ids.token, ids.badge].reduce((path, id) => path.replace(id, unknownId), target);
  const isIdle = async (target: string): Promise<boolean> => {
    const { body } = await daemon.ask('GET', target.replace(/\/run$/, ''));
    return body.job.lastDurationMs !== null && body.job.nextRunAt === null;
  };
  const unsigned = async (): Promise<{ status: number; body: { error: string } }> => {
    await using local = await openTestLocal(daemon.dataDir);
    const { store } = local;
    return await getReceiptKey(quietApp({ store, clock })).then(
      () => assert.fail('it signs'),
      (error) => ({ status: error.httpStatus, body: { error: error.message } }),
    );
  };

  const longPing = async (target: string): Promise<Answer> => {
    const init = { method: 'POST', body: huge };
    return await readAnswer('POST', await fetch(`${daemon.url}${target}`, init));
  };
  const oneStreamTooMany = async (mostStreams: number) => {
    const hub = createEvents({ clock, version: '', mostStreams });
    const holder = {
      actor: { type: 'key', id: 'k', name: '' },
      keyId: null,
      workspaceId: 'w',
    } as const;
    try {
      for (;;) hub.open(holder, () => {});
    } catch (error) {
      const { httpStatus, message } = error as JobdError;
      return { status: httpStatus, body: { error: message } };
    }
  };

  const common = paths['/jobs']?.['post'] ?? assert.fail();
  const check = async (status: string): Promise<number> => {
    const documented = operations.filter(({ operation }) => status in operation.responses);
    const answers = await Promise.all(
      documented.map(async (place) => ({
        operation: place.operation,
        got: await provoke(status, place),
      })),
    );
    for (const { operation, got } of answers) {
      const what = `${operation.operationId} ${status}`;
      const example = exampleOf(operation, status);
      if (got === null) assert.equal(example, exampleOf(common, status), what);
      else {
        assert.equal(String(got.status), status, `${what}: ${JSON.stringify(got.body)}`);
        assert.equal(normalised(got.body.error), normalised(example), what);
      }
    }
    return answers.length;
  };
  const statuses = new Set(operations.flatMap(({ operation }) => Object.keys(operation.responses)));
  let count = 0;
  for (const status of [...statuses].filter((each) => each >= '400' && each !== '503')) {
    count += await check(status);
  }
  // The clock has passed the end of the first wait.
  ids.token = (await waitBy(t, ask)).token;
  const lock = await holdWriteLock(t, daemon.dataDir, 'until released');
  count += await check('503');
  lock.release();
  await lock.ended;
  sink.release();
  t.diagnostic(`${count} examples`);
  assert.ok(count > 100);
});
