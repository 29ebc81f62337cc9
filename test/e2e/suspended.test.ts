/** A process that is frozen for longer than a call may take, as when a virtual machine is paused: its targets are not blamed. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { notPackaged } from '../support/running/executable.ts';
import { until } from '../support/until.ts';
import { prepareService } from './faults/service.ts';

const timeoutSeconds = 15;

test(
  'after a pause longer than the timeout an answer that waits is taken, and a missing one is interrupted',
  { skip: notPackaged },
  async (t) => {
    const held = new Map<string, ServerResponse>();
    const names = ['answered', 'beginning', 'silent'];
    const service = await prepareService(t, names, {
      answer: (response, { path }) => void held.set(path, response),
    });
    const daemon = await service.start();
    for (const name of names) {
      const change = await service.ask('PATCH', `/jobs/${service.jobs[name]}`, { timeoutSeconds });
      assert.equal(change.status, 200);
    }
    await service.dueIn({ answered: 0, beginning: 0, silent: 0 });
    await until('the calls', () => held.size === names.length);
    process.kill(daemon.pid, 'SIGSTOP');
    held.get('/answered')?.end('in time');
    held.get('/beginning')?.write('half');
    await setTimeout((timeoutSeconds + 4) * 1_000);
    process.kill(daemon.pid, 'SIGCONT');
    await service.untilRun('answered', 'success');
    await service.untilRun('beginning', 'interrupted');
    await service.untilRun('silent', 'interrupted');
    assert.equal((await service.newestRun('answered'))?.responseBody, 'in time');
    assert.equal(await daemon.stop(), 0);
    assert.equal(service.witness.arrivals.length, names.length, 'nothing was called twice');
    assert.deepEqual(service.audit(), []);
  },
);
