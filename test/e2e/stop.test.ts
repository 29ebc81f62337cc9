/** A stop finishes running calls and starts no others; a second signal ends it at once. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { notPackaged } from '../support/running/executable.ts';
import { until } from '../support/until.ts';
import { prepareService } from './faults/service.ts';

/** Longer than the longest pause of a loop: a call not made by then is never made. */
const surelyNoticedMs = 1_500;

test(
  'after SIGTERM no due job is called, calls in flight are recorded, and the next start continues',
  { skip: notPackaged },
  async (t) => {
    const held: ServerResponse[] = [];
    const service = await prepareService(t, ['held', 'later'], {
      answer(response, { path }) {
        if (path === '/held') held.push(response);
        else response.end();
      },
    });
    const { witness } = service;
    const daemon = await service.start();
    await service.dueIn({ held: 0 });
    await until('the call', () => held.length === 1);
    const stopped = daemon.stop('SIGTERM');
    await until('the stop', () => daemon.log().includes('stopping'));
    await service.dueIn({ later: 0 });
    await setTimeout(surelyNoticedMs);
    assert.deepEqual(witness.at('/later'), []);
    assert.equal((await service.askSite('/healthz')).status, 200, 'the API is there to the end');
    assert.equal((await service.askSite('/readyz')).status, 503);
    assert.equal((await service.newestRun('held'))?.status, 'running');
    held[0]?.end('in time');
    assert.equal(await stopped, 0, daemon.log());

    const again = await service.start();
    assert.equal((await service.newestRun('held'))?.responseBody, 'in time');
    await service.untilRun('later', 'success');
    assert.equal(await again.stop(), 0);
    assert.equal(witness.arrivals.length, 2);
    assert.deepEqual(service.audit(), []);
  },
);

/** A target that never answers. */
const answer = (): void => {};

for (const [first, second] of [
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
] as const) {
  test(
    `a ${second} after a ${first} ends it at once; calls in flight are interrupted and not sent again`,
    { skip: notPackaged },
    async (t) => {
      const service = await prepareService(t, ['held'], { answer });
      const daemon = await service.start();
      await service.dueIn({ held: 0 });
      await until('the call', () => service.witness.arrivals.length === 1);
      void daemon.stop(first);
      await until('the stop', () => daemon.log().includes('stopping'));
      assert.equal(await daemon.stop(second), second);
      const again = await service.start();
      await service.untilRun('held', 'interrupted');
      assert.equal(await again.stop(), 0);
      assert.equal(service.witness.arrivals.length, 1);
      assert.deepEqual(service.audit(), []);
    },
  );
}
