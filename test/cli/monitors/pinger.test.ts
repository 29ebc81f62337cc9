/** Pings to a server that does not answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver } from '../../../src/cli/monitors/pinger.ts';
import { startSink } from '../../support/fakes/sink.ts';

test('a ping gives up after the time that its sender can wait', { timeout: 60_000 }, async (t) => {
  const sink = await startSink(t, () => {});
  const timeout = t.mock.method(AbortSignal, 'timeout');
  const longest = (): number => Math.max(...timeout.mock.calls.map(({ arguments: [ms] }) => ms));
  const failure = await deliver(`${sink.url}/ping/x`, null, new AbortController().signal, 300);
  assert.equal(failure?.code, 'unreachable');
  assert.ok(longest() <= 300, 'alone, an attempt would have 5 s');
  timeout.mock.resetCalls();
  const late = await deliver(`${sink.url}/ping/x`, null, new AbortController().signal, -1_000);
  assert.equal(late?.code, 'unreachable', 'it is tried at least once');
  assert.equal(longest(), 1);
});
