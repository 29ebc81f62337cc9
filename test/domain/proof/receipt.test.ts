import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasReceipt, receiptPayload } from '../../../src/domain/proof/receipt.ts';
import { runStatuses, type Run } from '../../../src/domain/runs/run.ts';
import { sha256Hex } from '../../../src/receipt/sha256.ts';
import { nativeSha256 } from '../../../src/receipt/sign.ts';
import { answeredRun } from '../../support/records/receipts.ts';

const issue = {
  siteUrl: 'https://jobs.example.com',
  issuedAt: Date.parse('2025-10-09T05:30:01.000Z'),
  previousReceiptSha256: null,
  sha256: nativeSha256,
};

test('only a run that ended with an answer gets a receipt', () => {
  const answered: Run = answeredRun();
  const expected = { success: true, failed: true };
  for (const status of runStatuses) {
    assert.equal(hasReceipt({ ...answered, status }), status in expected, status);
    assert.equal(hasReceipt({ ...answered, status, httpStatus: null }), false, status);
  }
});

test('a receipt contains the data of the run, and only a hash of the answer and the request', () => {
  const run = answeredRun({ responseBody: 'Grüße\u0000', truncated: true, reason: 'http' });
  const payload = receiptPayload(run, { ...issue, previousReceiptSha256: 'ab'.repeat(32) });
  assert.deepEqual(payload, {
    version: 1,
    issuer: 'https://jobs.example.com',
    runId: run.id,
    jobId: run.jobId,
    source: 'scheduled',
    status: 'success',
    scheduledFor: '2025-10-09T05:30:00.000Z',
    startedAt: '2025-10-09T05:30:00.014Z',
    finishedAt: '2025-10-09T05:30:00.426Z',
    attempts: 1,
    httpStatus: 200,
    durationMs: 412,
    responseSha256: nativeSha256(Buffer.from('Grüße\u0000')),
    responseBytes: 8,
    truncated: true,
    issuedAt: '2025-10-09T05:30:01.000Z',
    previousReceiptSha256: 'ab'.repeat(32),
  });
});

test('a receipt names the due time that its run stands for only if that is another one', () => {
  const dueAt = Date.parse('2025-10-08T05:30:00.000Z');
  assert.equal(receiptPayload(answeredRun({ dueAt }), issue).dueAt, '2025-10-08T05:30:00.000Z');
  assert.ok(!('dueAt' in receiptPayload(answeredRun(), issue)));
});

test('an empty answer has the hash of zero bytes', () => {
  for (const responseBody of ['', null]) {
    const payload = receiptPayload(answeredRun({ responseBody }), issue);
    assert.equal(payload.responseBytes, 0);
    assert.match(payload.responseSha256, /^e3b0c44298fc1c14/);
  }
});

test('the issuer is written in ASCII without a trailing slash', () => {
  const rows = [
    ['https://jobs.example.com/', 'https://jobs.example.com'],
    ['HTTPS://Jobs.Example.com:443/cron//', 'https://jobs.example.com/cron'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://jöbs.example/größe', 'https://xn--jbs-sna.example/gr%C3%B6%C3%9Fe'],
  ];
  for (const [siteUrl = '', issuer] of rows) {
    assert.equal(receiptPayload(answeredRun(), { ...issue, siteUrl }).issuer, issuer);
  }
});

test('the library and the platform compute the same SHA-256', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 4096]) {
    const bytes = Buffer.alloc(length, length);
    assert.equal(sha256Hex(bytes), nativeSha256(bytes), `${length} bytes`);
  }
});
