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
import { reservePath } from '../../src/store/sqlite/reserve.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { monitorsOf, type PingedMonitor } from '../support/records/monitor.ts';
import { notPackaged } from '../support/running/executable.ts';
import { makeNamespace, noNamespaces } from '../support/running/namespace.ts';
import { runAttack } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { auditPromises, putLoadOn } from './faults/disk-load.ts';
import { startFiller } from './faults/filler.ts';
import { prepareService } from './faults/service.ts';

const monitorCount = 30;
/** Two runs a second. */
const jobs = Array.from({ length: 120 }, (_, number) => `${number}`);
const periodSeconds = 60;
/** Calls on the full disk. They go on if so many follow before `until` gives up. */
const stretch = 15;
const minutes = process.env['JOBD_FULL_DISK_MINUTES'];
const calls = minutes === undefined ? stretch : Number(minutes) * jobs.length;
/** History that may go: 32 MB of pings. */
const flood = { pings: monitorCount * 270, bodyBytes: 4_096 };

test(
  'on a disk that another program keeps full, calls go on and nothing acknowledged is lost; jobd recovers alone',
  { skip: notPackaged || noNamespaces },
  async (t) => {
    const directory = temporaryDirectory(t);
    const mounted = await makeNamespace(t, `mount -t tmpfs -o size=80m tmpfs ${directory}`);
    const service = await prepareService(t, jobs, {
      namespace: { mounted, directory },
      periodSeconds,
      answer: (response) => response.end('ok '.repeat(1_000)),
    });
    const daemon = await service.start();
    await service.dueIn(Object.fromEntries(jobs.map((name) => [name, Number(name) * 500])));
    const reserve = reservePath(service.outside);
    await until('the reserve', () => existsSync(reserve) && statSync(reserve).size > 0);
    const monitors: PingedMonitor[] = [];
    const { createMonitor } = monitorsOf(service);
    for (let number = 0; number < monitorCount; number += 1) monitors.push(await createMonitor());
    const urls = monitors.map(({ pingUrl }) => pingUrl);
    await runAttack(t, 'pings.ts', JSON.stringify({ ...flood, urls }));

    const { promises, end } = putLoadOn(service, monitors);
    const filler = startFiller(t, join(service.outside, '..', 'filler'));
    const isReady = async (): Promise<boolean> => (await service.askSite('/readyz')).status === 200;
    await until('the disk to be full', async () => !(await isReady()));
    const { arrivals } = service.witness;
    const before = arrivals.length;
    for (let called = 0; called < calls; called += stretch) {
      await until('calls on a full disk', () => arrivals.length >= before + called + stretch);
    }
    const during = arrivals.length - before;
    const taken = filler.taken();
    filler.stop();
    await until('readiness', isReady);
    const { pings: pingsBefore, jobs: made } = promises;
    const jobsBefore = made.size;
    const isTaken = () => promises.pings > pingsBefore + monitorCount && made.size > jobsBefore;
    await until('promises after that', isTaken);
    await end();

    const after = await service.ask('POST', '/jobs', {
      name: 'after',
      url: `${service.witness.url}/after`,
      cronExpr: '0 0 29 2 *',
    });
    const { pings, compared, refused, runs } = promises;
    const missed = /missed/g;
    t.diagnostic(
      JSON.stringify({
        calls: during,
        pings,
        compared,
        jobs: made.size,
        runs: runs.size,
        refused,
        takenMiB: Math.round(taken / 1024 ** 2),
        missed: daemon.log().match(missed)?.length ?? 0,
      }),
    );
    assert.equal(after.status, 201);
    assert.ok(pings > 0 && compared > 0 && made.size > 0 && runs.size > 0);
    await until('all runs to end', async () => {
      const { body } = await service.ask('GET', '/runs?status=running,queued');
      return body.runs.length === 0;
    });
    assert.equal(await daemon.stop(), 0, daemon.log().slice(-2_000));
    assert.deepEqual(auditPromises(service, promises).slice(0, 20), []);
  },
);
