/** `jobd monitors pings`: a page that ends by its size is said to be short (docs/behavior.md#api-5). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monitorsOf, ping } from '../../support/records/monitor.ts';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

test('pings with large bodies that did not fit in a page are said to be there', async (t) => {
  const daemon = await startTestDaemon(t);
  const { id, pingUrl } = await monitorsOf(daemon).createMonitor({ timezone: 'UTC' });
  for (let sent = 0; sent < 50; sent += 1) {
    await ping(pingUrl, { method: 'POST', body: '\u0001'.repeat(4_096) });
  }
  const { pings, nextCursor } = (await daemon.ask('GET', `/monitors/${id}/pings?limit=50`)).body;
  assert.ok(pings.length < 50 && JSON.stringify(pings).length < 1_100_000);
  const rest = await daemon.ask('GET', `/monitors/${id}/pings?limit=50&cursor=${nextCursor}`);
  assert.deepEqual([pings.length + rest.body.pings.length, rest.body.nextCursor], [50, null]);
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: await daemon.newKey('read') };
  for (const [limit, said] of [
    ['50', /^older pings did not fit$/m],
    ['3', /^$/],
  ] as const) {
    const ran = await runCommand(['monitors', 'pings', id, '--limit', limit], env);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, said);
  }
});
