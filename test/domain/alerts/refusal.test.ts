/** Which answers end a delivery, and how long others ask to wait. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedInBodyMs, isLastOwnTry, isRefused } from '../../../src/domain/alerts/refusal.ts';
import { channelKinds, channelTypes } from '../../../src/domain/alerts/kinds/registry.ts';

const hour = 3_600_000;
const lasting = [301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 413, 414, 415, 422];
const passing = [0, 200, 304, 402, 408, 409, 421, 423, 425, 429, 451, 500, 502, 503, 504, 507];

for (const type of channelTypes) {
  test(`${type}: what refuses for good ends the delivery, what may pass does not`, () => {
    const kind = channelKinds[type];
    const last = type === 'webhook' ? 5 : 1;
    for (const status of lasting) {
      assert.equal(isRefused(kind, status, last), true, `${status}`);
      assert.equal(isRefused(kind, status, 1), status === 410 || last === 1, `${status} at first`);
    }
    for (const status of passing) assert.equal(isRefused(kind, status, 100), false, `${status}`);
  });
}

const bodies: [body: string, waitMs: number | null][] = [
  ['{"ok":false,"error_code":429,"parameters":{"retry_after":73}}', 73_000],
  ['{"message":"You are being rate limited.","retry_after":0.65,"global":false}', 650],
  ['{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":61000}', 61_000],
  ['{"retry_after":"12"}', 12_000],
  ['{"retry_after":1e9}', hour],
  ['{"retry_after":-5}', null],
  ['{"retry_after":0}', null],
  ['{"retry_after":"soon"}', null],
  ['{"retry_after":null,"parameters":[]}', null],
  ['{"parameters":null}', null],
  ['[7]', null],
  ['null', null],
  ['Too Many Requests', null],
  ['', null],
];

test('an answer of 429 may ask in its body how long to wait, up to an hour', () => {
  for (const [body, waitMs] of bodies) {
    assert.equal(askedInBodyMs(429, body, hour), waitMs, body);
    assert.equal(askedInBodyMs(503, body, hour), null, body);
  }
});

const moved = (id: unknown): string =>
  JSON.stringify({ ok: false, error_code: 400, parameters: { migrate_to_chat_id: id } });

test('Telegram says the new id of a group that became a supergroup', () => {
  const { adviceOn } = channelKinds.telegram;
  const id = -1_001_557_912_345;
  assert.equal(adviceOn?.(moved(id)), `the chat has a new id: set chatId to ${id}`);
  for (const body of [moved(null), moved('x'), moved({}), '{"ok":false}', 'no', '']) {
    assert.equal(adviceOn?.(body), null, body);
  }
});

test('an alert that jobd cannot make is tried five times', () => {
  assert.deepEqual([1, 4, 5, 6].map(isLastOwnTry), [false, false, true, true]);
});
