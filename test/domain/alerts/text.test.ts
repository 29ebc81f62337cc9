import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../../src/domain/alerts/text.ts';
import type { MonitorDocument } from '../../../src/domain/monitors/document.ts';
import type { DownReason } from '../../../src/domain/monitors/status.ts';

test('the alert of a monitor says why it is down', () => {
  const timestamp = '2026-11-29T03:05:00.000Z';
  const [due, later] = ['2026-11-29T03:00:00.000Z', '2026-11-30T03:00:00.000Z'];
  const linesOf = (
    downReason: DownReason,
    missedDueAt: string | null,
    lastPingAt: string | null,
  ) => {
    // A window ended meanwhile, and the monitor was changed: it expects its next ping tomorrow.
    const of = { id: 'm', name: 'nightly', downReason, missedDueAt, nextDueAt: later, lastPingAt };
    const monitor = of as MonitorDocument;
    return textOf({ type: 'monitor.down', timestamp, data: { monitor } }).lines;
  };
  const end = [`at ${timestamp}`, 'monitor m'];
  assert.deepEqual(linesOf('missed', due, null), [
    `no successful ping since it was due at ${due}`,
    'last ping: none',
    ...end,
  ]);
  assert.deepEqual(linesOf('fail', null, timestamp), [
    'its task reported a failure',
    `last ping: ${timestamp}`,
    ...end,
  ]);
});
