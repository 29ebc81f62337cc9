import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { createRateLimiter } from '../../../src/domain/accounts/rate-limiter.ts';

const rule = { limit: 120, windowMs: 60_000, subjects: 1_000 };

/** How many of `count` requests at `now` are admitted. */
function admittedAt(
  limiter: ReturnType<typeof createRateLimiter>,
  now: number,
  count: number,
): number {
  return Array.from({ length: count }, () => limiter.ask('a', now)).filter(
    ({ isAdmitted }) => isAdmitted,
  ).length;
}

test('no window of 60 s admits more than 120 requests, wherever it begins', () => {
  const limiter = createRateLimiter(rule);
  assert.equal(admittedAt(limiter, 59_999, 100), 100);
  // A counter that resets each minute would admit 120 here.
  assert.equal(admittedAt(limiter, 60_001, 120), 20);
  assert.equal(admittedAt(limiter, 119_998, 1), 0, 'a millisecond before the first ones are old');
  assert.equal(admittedAt(limiter, 119_999, 120), 100, 'exactly as many as have become old');
  assert.equal(admittedAt(limiter, 120_000, 1), 0);
  assert.equal(admittedAt(limiter, 120_001, 120), 20);
});

test('a refused client is admitted again 60 s after its last admitted requests, even if it keeps trying', () => {
  const limiter = createRateLimiter(rule);
  assert.equal(admittedAt(limiter, 0, 120), 120);
  for (let now = 10; now < 60_000; now += 10) assert.equal(limiter.ask('a', now).isAdmitted, false);
  assert.equal(limiter.ask('a', 60_000).isAdmitted, true);
});

test('the limiter admits exactly what counting every admitted request would admit', () => {
  const small = { limit: 3, windowMs: 10, subjects: 100 };
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 6 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (asked) => {
      const limiter = createRateLimiter(small);
      const admitted: { subject: string; at: number }[] = [];
      let now = 0;
      for (const [subject, gap] of asked) {
        now += gap;
        const inWindow = admitted.filter(
          (one) => one.subject === subject && now - one.at < small.windowMs,
        );
        const expected = inWindow.length < small.limit;
        const { isAdmitted, remaining, moreInMs } = limiter.ask(subject, now);
        assert.equal(isAdmitted, expected);
        if (expected) admitted.push({ subject, at: now });
        const counted = inWindow.length + (expected ? 1 : 0);
        assert.equal(remaining, small.limit - counted, 'what is left');
        assert.equal(moreInMs, (inWindow[0]?.at ?? now) + small.windowMs - now, 'when more is');
      }
    }),
  );
});

test('idle clients are forgotten, and the number remembered is bounded', () => {
  const limiter = createRateLimiter({ limit: 2, windowMs: 100, subjects: 10 });
  for (let subject = 0; subject < 50; subject += 1) {
    limiter.ask(`first ${subject}`, 0);
    assert.ok(limiter.size <= 10);
  }
  limiter.ask('much later', 100);
  assert.equal(limiter.size, 1);
});

test('an active client is not forgotten in favour of one that came once', () => {
  const limiter = createRateLimiter({ limit: 1, windowMs: 100, subjects: 10 });
  assert.equal(limiter.ask('busy', 0).isAdmitted, true);
  for (let subject = 0; subject < 50; subject += 1) {
    limiter.ask(`passing ${subject}`, 1);
    assert.equal(limiter.ask('busy', 1).isAdmitted, false);
  }
});

test('requests that ask together are admitted until one is refused', () => {
  const limiter = createRateLimiter(rule);
  assert.deepEqual(limiter.ask('a', 0, 100), { isAdmitted: true, remaining: 20, moreInMs: 60_000 });
  assert.deepEqual(limiter.ask('a', 1, 21), { isAdmitted: false, remaining: 0, moreInMs: 59_999 });
  assert.equal(limiter.ask('a', 60_000, 101).isAdmitted, false, 'the first 20 stay counted');
  assert.equal(limiter.ask('b', 1, 120).isAdmitted, true);
});
