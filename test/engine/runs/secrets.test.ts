/** A job's secrets, from the claim to the stored answer. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createEgress } from '../../../src/egress/egress.ts';
import { findReceipt } from '../../../src/store/proof/receipts.ts';
import { createSigner } from '../../../src/engine/proof/sign.ts';
import { rotateSigningKey } from '../../../src/app/proof/signing-keys.ts';
import { nativeSha256 } from '../../../src/receipt/sign.ts';
import type { Receipt } from '../../../src/domain/proof/receipt.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { fakeTimers } from '../../support/fakes/timers.ts';
import { loopback } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';
import { testVault } from '../../support/fakes/vault.ts';

const siteUrl = (): string => 'https://jobs.example.com';
const token = 'canary-token-0123456789';
const headers = { Authorization: `Bearer ${token}`, 'X-Tenant': 'canary-tenant' };

test('the target gets the secrets, the stored run does not contain them', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t, (response, request) => {
    response.end(
      `got ${request.headers.authorization} ${String(request.headers['x-tenant'])} ${request.body}`,
    );
  });
  const body = '{"password":"canary-password"}';
  const job = await addJob({ ...dueOnce, url: sink.url, method: 'POST', headers, body });
  clock.set(dueAt);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.equal(sink.received[0]?.headers.authorization, `Bearer ${token}`);
  assert.equal(sink.received[0]?.headers['x-tenant'], 'canary-tenant');
  assert.equal(sink.received[0]?.body, body);
  assert.deepEqual(
    [run?.status, run?.responseBody, run?.truncated],
    ['success', `got [redacted] [redacted] ${body}`, false],
  );
});

test('an echoed secret split by the end of the preview leaves no part', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t, (response, { path }) => {
    response.end(`${'a'.repeat(4096 - Number(path.slice(1)))}${token} and more`);
  });
  const cuts = [1, 4, 8, 12, token.length - 1, token.length, token.length + 1];
  const jobs = await Promise.all(
    cuts.map((kept) => addJob({ ...dueOnce, url: `${sink.url}/${kept}`, headers })),
  );
  clock.set(dueAt);
  await start();
  for (const [index, job] of jobs.entries()) {
    const [run] = await endedRuns(job, 1);
    const kept = run?.responseBody ?? '';
    assert.equal(run?.truncated, true);
    assert.ok(Buffer.byteLength(kept) <= 4096);
    assert.match(kept, /^a+(\[redacted\]? ?|\[redacte?)?$/, `${cuts[index]} characters kept`);
  }
});

test('a redirect and a server error reveal no secret, nor does the log', async (t) => {
  const { start, addJob, clock, endedRuns, logged, readJob } = await setupEngine(t);
  const sink = await startSink(t, (response, { path }) => {
    if (path === '/away') {
      response.writeHead(302, { location: `http://${token}.example.com/${token}` }).end(token);
    } else response.writeHead(500).end(`no such token: ${token}`);
  });
  const away = await addJob({ ...dueOnce, url: `${sink.url}/away`, headers });
  const broken = await addJob({ ...dueOnce, url: `${sink.url}/broken`, headers });
  clock.set(dueAt);
  await start();
  const runs = [...(await endedRuns(away, 1)), ...(await endedRuns(broken, 1))];
  assert.match(runs[0]?.error ?? '', /^redirect: 302 to /);
  assert.equal(runs[1]?.responseBody, 'no such token: [redacted]');
  const shown = JSON.stringify([runs, logged, (await readJob(away)).downReason]);
  assert.match(shown, /run ended/);
  assert.doesNotMatch(shown, /canary/);
});

test('secrets are taken out of answers that are compressed, in another charset, or no HTTP', async (t) => {
  const { start, addJob, clock, endedRuns, logged } = await setupEngine(t);
  const text = `no such token: ${token}`;
  const answers: Record<string, (response: ServerResponse) => unknown> = {
    gzip: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
    br: (response) =>
      response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(text)),
    utf16: (response) => {
      response.setHeader('content-type', 'text/plain; charset=utf-16le');
      return response.end(Buffer.from(text, 'utf16le'));
    },
    raw: (response) => response.socket?.end(`${token} is no token`),
    'raw, cut in the secret': (response) => response.socket?.end(`${'a'.repeat(30)}${token}`),
  };
  const names = Object.keys(answers);
  const sink = await startSink(t, (response, { path }) => {
    answers[names[Number(path.slice(1))] ?? '']?.(response);
  });
  const jobs = await Promise.all(
    names.map((_, index) => addJob({ ...dueOnce, url: `${sink.url}/${index}`, headers })),
  );
  clock.set(dueAt);
  // A busy machine decodes nothing within its second.
  const options = { allowTargets: loopback, connectionsPerHost: 10, userAgent: 'jobd/test' };
  await using egress = createEgress({ ...options, timers: fakeTimers() });
  await start({ egress });
  const shown: string[] = [];
  for (const job of jobs) {
    const [run] = await endedRuns(job, 1);
    shown.push(run?.responseBody ?? run?.error ?? '');
  }
  const notHttp = 'protocol: the answer is not valid HTTP/1.1, it begins with';
  assert.deepEqual(shown, [
    ...Array<string>(3).fill('no such token: [redacted]'),
    `${notHttp} "[redacted] is no token"`,
    `${notHttp} "${'a'.repeat(30)}[redacted]"`,
  ]);
  assert.doesNotMatch(JSON.stringify(logged), /canary/);
});

test('the hash in the receipt is of the stored answer', async (t) => {
  const { start, addJob, clock, endedRuns, store } = await setupEngine(t);
  await rotateSigningKey({ store, clock, vault: testVault });
  const sink = await startSink(t, (response) => response.end(`you sent ${token}`));
  const job = await addJob({ ...dueOnce, url: sink.url, headers });
  clock.set(dueAt);
  await start({ signer: createSigner({ store, clock, vault: testVault, siteUrl }) });
  const [run] = await endedRuns(job, 1);
  const text = await until('the receipt', () => findReceipt(store.db, run?.id ?? ''));
  const { payload } = JSON.parse(text) as Receipt;
  const stored = Buffer.from('you sent [redacted]');
  assert.equal(run?.responseBody, String(stored));
  assert.equal(payload.responseSha256, nativeSha256(stored));
  assert.equal(payload.responseBytes, stored.length);
});

test('a job with the sealed value of another job sends nothing, and reports it', async (t) => {
  const { start, addJob, clock, endedRuns, store, logged, ask } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: `${sink.url}/changed`, headers });
  const other = await addJob({ ...dueOnce, url: `${sink.url}/sound`, headers, retries: 2 });
  const row = await store.db
    .selectFrom('jobs')
    .select('sealed')
    .where('id', '=', other.id)
    .executeTakeFirstOrThrow();
  await store.db.updateTable('jobs').set(row).where('id', '=', job.id).execute();
  clock.set(dueAt);
  const engine = await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts, run?.httpStatus], ['failed', 0, null]);
  assert.equal(
    run?.error,
    'protocol: nothing is sent: the headers and the body cannot be opened, set both again',
  );
  const line = logged.find(({ msg }) => msg.includes('cannot be opened'));
  assert.match(
    line?.err?.message ?? '',
    new RegExp(`jobs/${job.id} cannot be opened: it was changed`),
  );
  // Everything else continues.
  assert.equal((await endedRuns(other, 1))[0]?.status, 'success');
  await ask(other);
  engine.wake();
  assert.equal((await endedRuns(other, 2))[1]?.status, 'success');
  assert.deepEqual(new Set(sink.received.map(({ path }) => path)), new Set(['/sound']));
});
