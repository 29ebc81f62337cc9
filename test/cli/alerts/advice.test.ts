/** What to do about a test that did not arrive fits the answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channel as example } from '../../../src/api/alerts/examples.ts';
import type { Channel } from '../../../src/api/alerts/contract.ts';
import { adviceOn } from '../../../src/cli/alerts/advice.ts';

const channel = { ...example, name: 'ops', type: 'slack' } as unknown as Channel;

test('the advice fits the answer; without one, the error says what to do', () => {
  for (const status of [200, 302, 403, 404]) {
    assert.match(adviceOn(channel, status) ?? '', /: jobd channels update ops --url/, `${status}`);
  }
  for (const status of [429, 503]) assert.match(adviceOn(channel, status) ?? '', /has trouble/);
  assert.equal(adviceOn(channel, null), null);
  const strange = { ...channel, name: 'a;b' };
  assert.match(adviceOn(strange, 404) ?? '', new RegExp(`update ${channel.id} `));
});
