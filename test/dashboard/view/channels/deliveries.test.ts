/** Deliveries and channels in words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterWords,
  deliverySign,
  deliveryWords,
  eventWords,
  servesWords,
} from '../../../../src/dashboard/view/channels/deliveries.ts';
import { alertTypes } from '../../../../src/domain/alerts/alert.ts';

test('a delivery that waits after a failed attempt is not shown as lost', () => {
  const waits = { status: 'pending', attempts: 1 } as const;
  assert.deepEqual([deliverySign(waits), deliveryWords(waits)], ['late', 'waits after 1 attempt']);
  const untried = { status: 'pending', attempts: 0 } as const;
  assert.deepEqual([deliverySign(untried), deliveryWords(untried)], ['new', 'waits']);
  const lost = { status: 'failed', attempts: 3 } as const;
  assert.deepEqual(
    [deliverySign(lost), deliveryWords(lost)],
    ['failed', 'failed after 3 attempts'],
  );
  const first = { status: 'delivered', attempts: 1 } as const;
  assert.deepEqual([deliverySign(first), deliveryWords(first)], ['success', 'delivered']);
  assert.equal(deliveryWords({ status: 'delivered', attempts: 2 }), 'delivered after 2 attempts');
});

test('a channel says whom it serves, and after how many failures', () => {
  assert.equal(servesWords({ jobIds: null }), 'all jobs and monitors');
  assert.equal(servesWords({ jobIds: [] }), 'nothing');
  assert.equal(servesWords({ jobIds: ['a'] }), '1 job or monitor');
  assert.equal(servesWords({ jobIds: ['a', 'b'] }), '2 jobs and monitors');
  assert.equal(afterWords({ afterFailures: 1 }), 'at the first failure');
  assert.equal(afterWords({ afterFailures: 3 }), 'after 3 failures in a row');
});

test('each event has words', () => {
  assert.deepEqual(Object.keys(eventWords).toSorted(), [...alertTypes].toSorted());
});
