/** Receipts of runs: none is missing and each job's form a chain, whatever is interrupted. */

import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { rotateSigningKey } from '../../../src/app/proof/signing-keys.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import type { Receipt } from '../../../src/domain/proof/receipt.ts';
import { createSigner } from '../../../src/engine/proof/sign.ts';
import { canonicalJson } from '../../../src/receipt/canonical.ts';
import { nativeSha256 } from '../../../src/receipt/sign.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { findReceipt } from '../../../src/store/proof/receipts.ts';
import { detailsOf, dueAt, setupEngine, type EngineTest } from '../../support/running/engine.ts';
import { fakeClock, type FakeClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';
import { testVault } from '../../support/fakes/vault.ts';

const minute = 60_000;

async function setup(t: TestContext, given?: FakeClock) {
  const parts = await setupEngine(t, given);
  const { store, clock } = parts;
  const vault = testVault;
  const rotate = () => rotateSigningKey({ store, clock, vault });
  await rotate();
  const signerOn = (on: Store) =>
    createSigner({ store: on, clock, vault, siteUrl: () => 'https://jobs.example.com' });
  return { ...parts, rotate, signerOn };
}

/** Runs a job of every minute this many times, and waits for the ends. */
async function runMinutes({ clock, endedRuns }: EngineTest, job: Job, from: number, to: number) {
  for (let count = from; count <= to; count += 1) {
    clock.advance(dueAt + (count - 1) * minute - clock.now());
    await endedRuns(job, count);
  }
}

async function receiptsOf({ store, runsOf }: EngineTest, job: Job): Promise<(Receipt | null)[]> {
  const runs = await runsOf(job);
  const texts = await Promise.all(runs.map(({ id }) => findReceipt(store.db, id)));
  return texts.map((text) => (text === undefined ? null : (JSON.parse(text) as Receipt)));
}

/** Verifies the signature with Node alone. */
function assertSigned(receipt: Receipt | null): asserts receipt is Receipt {
  assert.ok(receipt);
  const { signature, ...signed } = receipt;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: receipt.publicKey ?? '' };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const bytes = Buffer.from(canonicalJson(signed));
  assert.ok(verify(null, bytes, key, Buffer.from(signature, 'base64url')));
}

test('every answered run gets a receipt, each linked to the previous one', async (t) => {
  const parts = await setup(t);
  const { start, addJob, store, signerOn, runsOf } = parts;
  const answers = [200, 503, 0, 201];
  const sink = await startSink(t, (response) => {
    const status = answers[sink.received.length - 1] ?? 200;
    if (status === 0) response.destroy();
    else response.writeHead(status).end(`answer ${status}`);
  });
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
  parts.clock.set(dueAt);
  await start({ signer: signerOn(store) });
  await runMinutes(parts, job, 1, 4);
  const receipts = await until('all receipts', async () => {
    const found = await receiptsOf(parts, job);
    return found.filter((receipt) => receipt !== null).length === 3 ? found : null;
  });
  const runs = await runsOf(job);
  assert.equal(receipts[2], null, 'a run without an answer has none');
  let previous: string | null = null;
  for (const index of [0, 1, 3]) {
    const receipt = receipts[index] ?? null;
    assertSigned(receipt);
    const { payload } = receipt;
    assert.equal(payload.runId, runs[index]?.id);
    assert.equal(payload.httpStatus, answers[index]);
    assert.equal(payload.issuer, 'https://jobs.example.com');
    assert.equal(payload.responseSha256, nativeSha256(Buffer.from(`answer ${answers[index]}`)));
    assert.equal(payload.previousReceiptSha256, previous);
    previous = nativeSha256(Buffer.from(canonicalJson(receipt)));
  }
});

test('receipts left unsigned by a stop or a failing store are signed after the next start', async (t) => {
  const parts = await setup(t);
  const { start, addJob, store, signerOn, logged } = parts;
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
  parts.clock.set(dueAt);
  const full: Store = { ...store, write: () => Promise.reject(new Error('the disk is full')) };
  const first = await start({ signer: signerOn(full) });
  await runMinutes(parts, job, 1, 3);
  await until('the trouble', () => logged.some(({ msg }) => msg === 'sign failed, will try again'));
  assert.match(detailsOf(first).join(), /the disk is full \(sign fails\)/);
  await first[Symbol.asyncDispose]();
  assert.deepEqual(await receiptsOf(parts, job), [null, null, null]);

  await start({ signer: signerOn(store) });
  const receipts = await until('all receipts', async () => {
    const found = await receiptsOf(parts, job);
    return found.every((receipt) => receipt !== null) && found;
  });
  for (const receipt of receipts) assertSigned(receipt);
  const [first1, second, third] = receipts.map((receipt) =>
    nativeSha256(Buffer.from(canonicalJson(receipt))),
  );
  assert.deepEqual(
    receipts.map((receipt) => receipt?.payload.previousReceiptSha256),
    [null, first1, second],
  );
  assert.ok(third);
});

test('a run that ended while signing was off is not signed later', async (t) => {
  const parts = await setup(t);
  const { start, addJob, store, signerOn } = parts;
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
  parts.clock.set(dueAt);
  const first = await start({ signer: null });
  await runMinutes(parts, job, 1, 1);
  await first[Symbol.asyncDispose]();
  await start({ signer: signerOn(store) });
  await runMinutes(parts, job, 2, 2);
  const [unsigned, signed] = await until('the second receipt', async () => {
    const found = await receiptsOf(parts, job);
    return found[1] !== null && found;
  });
  assert.equal(unsigned, null);
  assert.equal(signed?.payload.previousReceiptSha256, null);
});

test('if keys change while receipts wait, each names the key that signed it', async (t) => {
  const parts = await setup(t);
  const { start, addJob, clock, store, signerOn, rotate } = parts;
  const sink = await startSink(t);
  const jobs = await Promise.all(
    Array.from({ length: 40 }, () =>
      addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute),
    ),
  );
  clock.set(dueAt);
  const signer = signerOn(store);
  const engine = await start({ signer, slots: 8 });
  const keyIds = new Set<string>();
  for (let round = 1; round <= 5; round += 1) {
    clock.set(dueAt + (round - 1) * minute);
    engine.wake();
    keyIds.add((await rotate()).keyId);
    // A client downloads one that is not signed yet.
    const [job] = jobs;
    if (job !== undefined) while ((await signer.sign(job.id)) > 0);
    keyIds.add((await rotate()).keyId);
    for (const each of jobs) await parts.endedRuns(each, round);
  }
  for (const job of jobs) {
    const receipts = await until('all receipts', async () => {
      const found = await receiptsOf(parts, job);
      return found.every((receipt) => receipt !== null) && found;
    });
    let previous: string | null = null;
    for (const receipt of receipts) {
      assertSigned(receipt);
      assert.equal(receipt.payload.previousReceiptSha256, previous);
      previous = nativeSha256(Buffer.from(canonicalJson(receipt)));
    }
  }
});

test('a private key that cannot be opened is reported by name', async (t) => {
  const { store, signerOn, rotate, addJob, start, clock, endedRuns, logged } = await setup(t);
  const { keyId } = await rotate();
  const active = store.db.updateTable('signing_keys').where('retired_at', 'is', null);
  await active.set({ sealed: 'damaged' }).execute();
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
  clock.set(dueAt);
  await start({ signer: signerOn(store) });
  await endedRuns(job, 1);
  const failure = await until('the failure', () =>
    logged.find(({ msg }) => msg === 'sign failed, will try again'),
  );
  assert.match(
    failure.err?.message ?? '',
    new RegExp(`the signing key ${keyId} cannot be opened: .*rotate`),
  );
  await rotate();
  const [run] = await endedRuns(job, 1);
  await until('the receipt', () => findReceipt(store.db, run?.id ?? ''));
});

test('while calls wait, signing keeps its pauses however often runs end', async (t) => {
  const rests = fakeClock(undefined, { timers: 'fake' });
  const { start, addJob, clock, endedRuns } = await setup(t, rests);
  let signed = 0;
  const signedAtCall: number[] = [];
  const sink = await startSink(t, (response) => {
    signedAtCall.push(signed);
    response.end();
  });
  const jobs = await Promise.all(
    Array.from({ length: 12 }, () =>
      addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute),
    ),
  );
  clock.set(dueAt);
  const sign = async (): Promise<number> => {
    clock.pass(60_000);
    signed += 1;
    return signed < 6 ? 1 : 0;
  };
  await start({ signer: { sign, signText: async () => '' }, slots: 1 });
  for (const job of jobs) await endedRuns(job, 1);
  // Once when the engine started, once when calls started to wait.
  assert.ok(Math.max(...signedAtCall) <= 2, signedAtCall.join(' '));
  await until('signing to continue when no call waits', () => {
    clock.pass(2_000);
    return signed === 6;
  });
});
