import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterWords,
  deliverySign,
  deliveryWords,
  eventWords,
  moreWords,
  servesWords,
} from '../../../src/dashboard/view/deliveries.ts';
import { alertTypes } from '../../../src/domain/alerts/alert.ts';

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
  const any = { selector: null };
  assert.equal(servesWords({ jobIds: null, monitorIds: null, ...any }), 'all jobs and monitors');
  assert.equal(servesWords({ jobIds: [], monitorIds: [], ...any }), 'nothing');
  assert.equal(servesWords({ jobIds: ['a'], monitorIds: [], ...any }), '1 job');
  assert.equal(
    servesWords({ jobIds: ['a', 'b'], monitorIds: null, ...any }),
    '2 jobs and all monitors',
  );
  assert.equal(servesWords({ jobIds: [], monitorIds: ['m'], ...any }), '1 monitor');
  const all = { jobIds: null, monitorIds: null, selector: 'client=acme' };
  assert.equal(servesWords(all), 'jobs and monitors with client=acme');
  assert.equal(moreWords({ alsoOn: [], remindEverySeconds: null }), null);
  const more = { alsoOn: ['missed', 'interrupted'] as const, remindEverySeconds: 5_400 };
  const words = 'missed and interrupted runs; a reminder every 1 h 30 m';
  assert.equal(moreWords({ ...more, alsoOn: [...more.alsoOn] }), words);
  assert.equal(afterWords({ afterFailures: 1 }), 'at the first failure');
  assert.equal(afterWords({ afterFailures: 3 }), 'after 3 failures in a row');
});

test('each event has words', () => {
  assert.deepEqual(Object.keys(eventWords).toSorted(), [...alertTypes].toSorted());
});
