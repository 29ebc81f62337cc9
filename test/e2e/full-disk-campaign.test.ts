/**
 * A disk that another program keeps full, under load: nothing acknowledged is lost, calls go on, and jobd recovers alone when that
 * program stops. Some seconds here; for ten minutes:
 *
 *     JOBD_FULL_DISK_MINUTES=10 node --test test/e2e/full-disk-campaign.test.ts
 */

import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { reservePath } from '../../src/store/sqlite/reserve.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { monitorsOf } from '../support/records/monitor.ts';
import type { PingedMonitor } from '../support/records/monitor.ts';
import { notPackaged } from '../support/running/executable.ts';
import { makeNamespace, noNamespaces } from '../support/running/namespace.ts';
import { runAttack } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { auditPromises, putLoadOn } from './faults/disk-load.ts';
import { startFiller } from './faults/filler.ts';
import { prepareService } from './faults/service.ts';

const minutes = process.env['JOBD_FULL_DISK_MINUTES'];
const fullMs = minutes === undefined ? 12_000 : Number(minutes) * 60_000;
const monitorCount = 30;
/** Two runs a second. */
const jobs = Array.from({ length: 120 }, (_, number) => `${number}`);
const periodSeconds = 60;
/** History that may go: 32 MB of pings. */
const flood = { pings: monitorCount * 270, seconds: 30, bodyBytes: 4_096 };
/** The longest time without a call that still counts as going on. Due calls are 500 ms apart. */
const longestGapMs = 10_000;

test(
  'on a disk that another program keeps full, calls go on and nothing acknowledged is lost; jobd recovers alone',
  { skip: notPackaged || noNamespaces, timeout: fullMs + 180_000 },
  async (t) => {
    const directory = temporaryDirectory(t);
    const mounted = await makeNamespace(t, `mount -t tmpfs -o size=80m tmpfs ${directory}`);
    const dueIn = Object.fromEntries(jobs.map((name) => [name, 2_000 + Number(name) * 500]));
    const service = await prepareService(t, dueIn, {
      namespace: { mounted, directory },
      periodSeconds,
      answer: (response) => response.end('ok '.repeat(1_000)),
    });
    const daemon = await service.start();
    const reserve = reservePath(service.outside);
    await until('the reserve', () => existsSync(reserve) && statSync(reserve).size > 0);
    const monitors: PingedMonitor[] = [];
    const { createMonitor } = monitorsOf(service);
    for (let number = 0; number < monitorCount; number += 1) monitors.push(await createMonitor());
    const urls = monitors.map(({ pingUrl }) => pingUrl);
    await runAttack(t, 'pings.ts', [JSON.stringify({ ...flood, urls })]);

    const over = new AbortController();
    const load = putLoadOn(service, monitors, over.signal);
    load.catch(() => over.abort());
    const filler = startFiller(t, join(service.outside, '..', 'filler'));
    const isReady = async (): Promise<boolean> => (await service.askSite('/readyz')).status === 200;
    await until('the disk to be full', async () => !(await isReady()), { everyMs: 100 });
    const began = Date.now();
    await setTimeout(fullMs, undefined, { signal: over.signal }).catch(() => {});
    const ended = Date.now();
    const taken = filler.taken();
    filler.stop();
    const recoveredMs = await untilReady(isReady);
    await setTimeout(3_000);
    over.abort();
    const promises = await load;

    const during = service.witness.arrivals.filter(({ at }) => at >= began && at <= ended);
    const times = [began, ...during.map(({ at }) => at), ended];
    const gapMs = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
    const made = await service.ask('POST', '/jobs', {
      name: 'after',
      url: `${service.witness.url}/after`,
      cronExpr: '0 0 29 2 *',
    });
    const { pings, compared, refused } = promises;
    const missed = /missed/g;
    t.diagnostic(
      JSON.stringify({
        seconds: Math.round((ended - began) / 1_000),
        calls: during.length,
        gapMs,
        pings,
        compared,
        jobs: promises.jobs.size,
        runs: promises.runs.size,
        refused,
        takenMiB: Math.round(taken / 1024 ** 2),
        recoveredMs,
        missed: daemon.log().match(missed)?.length ?? 0,
      }),
    );
    assert.equal(made.status, 201);
    assert.ok(gapMs < longestGapMs, `no call for ${gapMs} ms`);
    assert.ok(pings > 0 && compared > 0 && promises.jobs.size > 0 && promises.runs.size > 0);
    await until('all runs to end', async () => {
      const { body } = await service.ask('GET', '/runs?status=running,queued');
      return body.runs.length === 0;
    });
    assert.equal(await daemon.stop(), 0, daemon.log().slice(-2_000));
    assert.deepEqual(auditPromises(service, promises).slice(0, 20), []);
  },
);

async function untilReady(isReady: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  await until('readiness', isReady, { everyMs: 100 });
  return Math.round(performance.now() - began);
}
