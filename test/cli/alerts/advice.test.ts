/** What to do about a test that did not arrive fits the reason. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channel as example } from '../../../src/api/alerts/examples.ts';
import type { Channel } from '../../../src/api/alerts/contract.ts';
import { adviceOn } from '../../../src/cli/alerts/advice.ts';

const channel = { ...example, name: 'ops', type: 'slack' } as unknown as Channel;

test('the advice fits the reason', () => {
  const rows: [reason: string, advice: RegExp][] = [
    ['http: 403, invalid_token', /jobd channels update ops --url/],
    ['http: 200, but the answer does not say that the alert was taken', /channels update ops/],
    ['http: 503', /the service has trouble/],
    ['http: 429, slow down', /limits how much it takes/],
    ['redirect: 302 to https://example.com/...', /channels update ops/],
    ['blocked_address: 10.0.0.1 is private', /--allow-target/],
    ['blocked_address: 169.254.169.254 is not public: link-local', /^refused on purpose/],
    ['dns: no such host', /check that the machine of jobd can reach ops\.example\.com/],
    ['mail: the operator of this jobd does not allow mail to o…@example.com', /channels update/],
    ['mail: connect ECONNREFUSED', /--smtp-url/],
    ['jobd: the disk is full', /the log of jobd/],
  ];
  for (const [reason, advice] of rows) assert.match(adviceOn(channel, reason), advice, reason);
  const strange = { ...channel, name: 'a;b' };
  assert.match(adviceOn(strange, 'http: 404'), new RegExp(`update ${channel.id} `));
});
