/** A disk that people fill through jobd itself: runs go on, deleting frees space, and nobody has to help. */

import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { reservePath } from '../../src/store/sqlite/reserve.ts';
import { assertRefused } from '../support/checks/answer.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { monitorsOf, ping } from '../support/records/monitor.ts';
import type { PingedMonitor } from '../support/records/monitor.ts';
import { makeNamespace, noNamespaces } from '../support/running/namespace.ts';
import { runAttack } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { prepareService } from './faults/service.ts';
import type { Service } from './faults/service.ts';

/** More than 80 MB of pings, slow enough to be stored. */
const monitorCount = 70;
const flood = { pings: monitorCount * 300, seconds: 30, bodyBytes: 4_096 };
/** A job is due every other second, from the first to the last. */
const jobs = Array.from({ length: 40 }, (_, number) => `${2 * number}`);

const skip = notPackaged || noNamespaces;

for (const ending of [null, 'SIGTERM'] as const) {
  const when = ending === null ? '' : `, also after ${ending} and another start`;
  test(
    `on a disk full of pings runs go on, and deleting frees space${when}`,
    { skip },
    async (t) => {
      const service = await prepareOnSmallDisk(t);
      const first = await service.start();
      const reserve = reservePath(service.outside);
      await until('the reserve', () => existsSync(reserve) && statSync(reserve).size > 0);
      const { createMonitor, readMonitor } = monitorsOf(service);
      const monitors: PingedMonitor[] = [];
      for (let number = 0; number < monitorCount; number += 1) monitors.push(await createMonitor());
      const urls = monitors.map(({ pingUrl }) => pingUrl);
      const answered = await runAttack(t, 'pings.ts', [JSON.stringify({ ...flood, urls })]);
      assert.deepEqual(answered, { 200: flood.pings }, 'no ping is refused');
      await until('the disk to be full', () => isFull(service), { everyMs: 100 });
      if (ending !== null) {
        await first.stop(ending);
        await service.start();
        assert.ok(await isFull(service));
      }

      const job = { name: 'more', url: `${service.witness.url}/more`, cronExpr: '* * * * *' };
      assertRefused(await service.ask('POST', '/jobs', job), 503, /^the disk is full/, 'create');
      assert.equal((await service.ask('GET', '/monitors')).status, 200);
      await assertRunsGoOn(service);
      const [monitor] = monitors;
      assert.ok(monitor);
      const { pathname } = new URL(monitor.pingUrl);
      assert.equal((await service.askSite(`${pathname}/fail`)).status, 200);
      assert.equal((await readMonitor(monitor.id)).status, 'down', 'its state is kept');

      for (const { id } of monitors) {
        assert.equal((await service.ask('DELETE', `/monitors/${id}`)).status, 200);
      }
      await until('free space', async () => !(await isFull(service)), { everyMs: 100 });
      assert.equal((await service.ask('POST', '/jobs', job)).status, 201);
      const made = await createMonitor();
      assert.equal((await ping(made.pingUrl)).status, 200);
      await assertRunsGoOn(service);
    },
  );
}

async function prepareOnSmallDisk(t: TestContext): Promise<Service> {
  const directory = temporaryDirectory(t);
  const mounted = await makeNamespace(t, `mount -t tmpfs -o size=80m tmpfs ${directory}`);
  const dueIn = Object.fromEntries(jobs.map((name) => [name, 2_000 + Number(name) * 1_000]));
  return await prepareService(t, dueIn, { namespace: { mounted, directory } });
}

/** The state in `/readyz`; it may have no other problem. */
async function isFull({ askSite }: Service): Promise<boolean> {
  const { status, body } = await askSite('/readyz');
  if (status === 200) return false;
  assert.match((body as { error: string }).error, /the disk is full/);
  return true;
}

/** Jobs that are due from now on are called and recorded. */
async function assertRunsGoOn({ witness, untilRun }: Service): Promise<void> {
  const called = new Set(witness.arrivals.map(({ path }) => path));
  const next = jobs.find((name) => !called.has(`/${name}`));
  assert.ok(next, 'no job is left');
  await until('a call', () => witness.at(`/${next}`).length === 1);
  await untilRun(next, 'success');
}
