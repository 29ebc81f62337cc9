/** Receipt chains: removed, added, repeated and moved receipts are detected. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Receipt } from '../../src/domain/proof/receipt.ts';
import { judge, wordsOf, type Judgement } from '../../src/receipt/judge.ts';
import { keyDocument, keySet } from '../../src/receipt/key.ts';
import { readTrustedKeys } from '../../src/receipt/trusted-keys.ts';
import { receiptSha256 } from '../../src/receipt/verify.ts';
import {
  answeredRun,
  attackerKey as newKey,
  chainOfReceipts,
  fileOf,
  jobId,
  payloadOf,
  signingKey,
  signed,
} from '../support/records/receipts.ts';

const trusted = readTrustedKeys([fileOf(keyDocument(signingKey))]);
const chain = chainOfReceipts(6);
const otherJob = '01a1fc5b-aef6-7000-a5c9-5719a3dee363';
const foreign = chainOfReceipts(4, { ofJob: otherJob });

function judged(receipts: readonly Receipt[], inOrder = true, keys = trusted): Judgement {
  const given = receipts.map((receipt, index) => ({
    source: `line ${index + 1}`,
    bytes: fileOf(receipt),
  }));
  return judge(given, inOrder, keys);
}

function problemsOf({ chains }: Judgement): string[] {
  return chains.flatMap(({ problems }) => problems);
}

test('complete chains of several jobs are valid, mixed with each other too', () => {
  const mixed = [chain[0], foreign[0], foreign[1], chain[1], chain[2], foreign[2]];
  const judgement = judged(mixed as Receipt[]);
  assert.equal(judgement.verdict, 'valid', wordsOf(judgement).join('\n'));
  assert.deepEqual(judgement.chains, [
    { jobId, length: 3, follows: null, problems: [] },
    { jobId: otherJob, length: 3, follows: null, problems: [] },
  ]);
  assert.match(
    wordsOf(judgement).join('\n'),
    /^valid: 6 receipts \(6 success, 0 failed\) of 2 jobs, [^\n]+$/,
  );
});

test('a part of a chain is valid, and its predecessor is named', () => {
  const judgement = judged(chain.slice(2, 5));
  assert.equal(judgement.verdict, 'valid');
  const follows = receiptSha256(chain[1] as Receipt);
  assert.deepEqual(judgement.chains, [{ jobId, length: 3, follows, problems: [] }]);
  const [words, ...more] = wordsOf(judgement);
  assert.match(
    words ?? '',
    /^valid: 3 receipts \(3 success, 0 failed\) of one job, beginning in the middle, none missing/,
  );
  assert.deepEqual(more, []);
});

test('files of a directory have no order; lines of a file do', () => {
  const turned = chain.toReversed();
  assert.equal(judged(turned, false).verdict, 'valid');
  const inOrder = judged(turned, true);
  assert.equal(inOrder.verdict, 'invalid');
  assert.equal(problemsOf(inOrder).length, 5);
  const swapped = judged([0, 2, 1, 3].map((index) => chain[index] as Receipt));
  assert.equal(swapped.verdict, 'invalid');
  assert.match(problemsOf(swapped).join(), /line 2\) comes before the receipt that it follows$/);
});

test('each missing receipt is reported by its successor', () => {
  for (const missing of [1, 2, 3, 4]) {
    for (const inOrder of [true, false]) {
      const judgement = judged(chain.toSpliced(missing, 1), inOrder);
      assert.equal(judgement.verdict, 'invalid', `without ${missing}`);
      const [problem, ...others] = problemsOf(judgement);
      assert.deepEqual(others, []);
      const { runId } = (chain[missing + 1] as Receipt).payload;
      assert.match(problem ?? '', new RegExp(`run ${runId} .* follows is missing`));
      assert.ok(problem?.includes(receiptSha256(chain[missing] as Receipt)), problem);
    }
  }
  const two = judged([0, 2, 4, 5].map((index) => chain[index] as Receipt));
  assert.equal(problemsOf(two).length, 2);
});

test('a repeated receipt, a second one of a run, and a second first one are reported', () => {
  const doubled = judged([...chain, chain[3] as Receipt]);
  assert.equal(doubled.verdict, 'invalid');
  assert.match(problemsOf(doubled).join(), /line 7\) repeats .*line 4\)$/);

  const { payload } = chain[5] as Receipt;
  const second = signed({ ...payload, httpStatus: 500, status: 'failed' }, signingKey);
  const rivals = judged([...chain, second]);
  assert.equal(rivals.verdict, 'invalid');
  assert.match(
    problemsOf(rivals).join(),
    /is the second for its run, after line 6.*follows the same receipt/,
  );

  const alone = signed(payloadOf(answeredRun({}, 1_000_000)), signingKey);
  const firsts = judged([...chain, alone]);
  assert.equal(firsts.verdict, 'invalid');
  assert.match(problemsOf(firsts).join(), /line 7\) claims to be the first, and so does another$/);
});

test('a receipt that follows one of another job is reported, even as the first of a chain', () => {
  const run = answeredRun({ jobId: otherJob }, 9 * 60_000);
  const stray = signed(payloadOf(run, chain[5]), signingKey);
  for (const receipts of [
    [...chain, ...foreign, stray],
    [...chain, stray],
  ]) {
    const judgement = judged(receipts);
    assert.equal(judgement.verdict, 'invalid');
    assert.match(problemsOf(judgement).join(), /follows a receipt of another job/);
  }
});

test('a chain continues across a rotation, each receipt verified with the key that it names', () => {
  const rotated = chainOfReceipts(6, { keyAt: (index) => (index < 3 ? signingKey : newKey) });
  const both = readTrustedKeys([fileOf(keySet([newKey, signingKey]))]);
  assert.equal(judged(rotated, true, both).verdict, 'valid');
  const files = [signingKey, newKey].map((key) => fileOf(keyDocument(key)));
  assert.equal(judged(rotated, true, readTrustedKeys(files)).verdict, 'valid');
  const oldKeyOnly = judged(rotated);
  assert.equal(oldKeyOnly.verdict, 'invalid');
  assert.deepEqual(
    oldKeyOnly.receipts.map(({ verdict }) => verdict),
    ['valid', 'valid', 'valid', 'invalid', 'invalid', 'invalid'],
  );
});

test('a forged receipt is not a link, so its successor is reported as following nothing', () => {
  const forged = { ...(chain[2] as Receipt), keyId: newKey.keyId };
  const judgement = judged(chain.with(2, forged));
  assert.equal(judgement.verdict, 'invalid');
  const words = wordsOf(judgement);
  assert.equal(words.length, 3, words.join('\n'));
  assert.match(words[0] ?? '', /^invalid: line 3: its key "/);
  assert.match(words[1] ?? '', /^invalid: in the chain of job .* follows is missing/);
  assert.equal(words[2], 'invalid: 5 of 6 receipts are valid on their own');
});

test('a damaged file makes the whole unreadable, or invalid', () => {
  const damaged = { source: 'damaged.json', bytes: Buffer.from('{') };
  const given = chain.map((receipt, index) => ({ source: `${index}`, bytes: fileOf(receipt) }));
  assert.equal(judge([...given, damaged], false, trusted).verdict, 'unreadable');
  assert.equal(
    judge(given.with(3, damaged), false, trusted).verdict,
    'invalid',
    'a link is missing',
  );
});
