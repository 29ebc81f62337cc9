import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plans } from '../../../src/domain/accounts/plan.ts';
import { retentionOf } from '../../../src/domain/accounts/plan.ts';

const now = Date.parse('2026-03-02T10:00:00Z');

const cutoff = (plan: keyof typeof plans) =>
  new Date(retentionOf(plans[plan], { results: 0, now }).agedBefore).toISOString();

const surplus = (plan: keyof typeof plans, results: number) =>
  retentionOf(plans[plan], { results, now }).surplus;

test('results are kept for the days of the plan, to the millisecond', () => {
  assert.equal(cutoff('free'), '2026-02-23T10:00:00.000Z');
  assert.equal(cutoff('pro'), '2025-12-02T10:00:00.000Z');
  assert.equal(cutoff('business'), '2025-03-02T10:00:00.000Z');
  assert.equal(cutoff('self-hosted'), '2025-03-02T10:00:00.000Z');
});

test("results beyond the plan's number are surplus", () => {
  assert.equal(surplus('free', 0), 0);
  assert.equal(surplus('free', 1_000), 0);
  assert.equal(surplus('free', 1_001), 1);
  assert.equal(surplus('pro', 1_000_000), 990_000);
  assert.equal(surplus('business', 1_000_000), 900_000);
  assert.equal(surplus('self-hosted', 1_000_000), 0);
});
