/** A start on a full disk sends nothing, and recovers as soon as there is space. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { until } from '../support/until.ts';
import { fullDisk } from './faults/outages.ts';

/** A target that never answers. */
const answer = (): void => {};

test(
  'a start on a full disk calls nothing, and continues by itself when there is space again',
  { skip: notPackaged || fullDisk.skip },
  async (t) => {
    const service = await fullDisk.prepare(t, ['held', 'due'], { answer });
    const first = await service.start();
    await service.dueIn({ held: 0 });
    await until('the call', () => service.witness.arrivals.length === 1);
    // It dies without having seen that.
    await service.freezeWithDue(first, 'due');
    await first.stop('SIGKILL');

    const outage = await fullDisk.begin(t, service, first.pid);
    const second = await service.start();
    await until('a claim that fails', async () => {
      const { body } = await service.askSite('/readyz');
      return /\bclaim\b[a-z, ]* fails?\)/.test((body as { error?: string }).error ?? '');
    });
    assert.equal((await service.askSite('/readyz')).status, 503);
    assert.equal((await service.askSite('/healthz')).status, 200);
    assert.equal((await service.newestRun('held'))?.status, 'running');
    assert.equal(service.witness.arrivals.length, 1);

    await outage.end();
    await service.untilRun('held', 'interrupted');
    await until('the other call', () => service.witness.at('/due').length === 1);
    await until('readiness', async () => (await service.askSite('/readyz')).status === 200);
    await second.stop('SIGKILL');
    assert.equal(service.witness.at('/held').length, 1);
    assert.deepEqual(service.audit(), []);
  },
);
