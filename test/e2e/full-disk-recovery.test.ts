/** A disk that people fill through jobd itself: runs go on, history makes room, and nobody has to help. */

import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { maxBodyLength } from '../../src/domain/jobs/fields.ts';
import { alwaysKept } from '../../src/domain/space.ts';
import { reservePath } from '../../src/store/sqlite/reserve.ts';
import { assertRefused } from '../support/checks/answer.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged, type Process } from '../support/running/executable.ts';
import { monitorsOf, type PingedMonitor } from '../support/records/monitor.ts';
import { makeNamespace, noNamespaces } from '../support/running/namespace.ts';
import type { Preparation } from '../support/running/prepare.ts';
import { runAttack } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { startFiller } from './faults/filler.ts';
import { prepareService, type Service } from './faults/service.ts';

/** More pings than the disk has space for, few enough for each monitor to be stored. */
const diskMiB = 24;
const monitorCount = 22;
const flood = { pings: monitorCount * 300, bodyBytes: 4_096 };
/** One is due each second, again and again. */
const jobs = Array.from({ length: 60 }, (_, second) => `${second}`);

const skip = notPackaged || noNamespaces;

for (const ending of [null, 'SIGTERM'] as const) {
  const when = ending === null ? '' : `, also after ${ending} and another start`;
  test(
    `on a disk full of pings runs go on, and the oldest pings make room${when}`,
    { skip },
    async (t) => {
      const service = await prepareOnSmallDisk(t);
      const first = await startWithReserve(service);
      const { createMonitor, readMonitor, readPings } = monitorsOf(service);
      const monitors: PingedMonitor[] = [];
      for (let number = 0; number < monitorCount; number += 1) monitors.push(await createMonitor());
      const urls = monitors.map(({ pingUrl }) => pingUrl);
      const answered = await runAttack(t, 'pings.ts', JSON.stringify({ ...flood, urls }));
      assert.deepEqual(answered, { 200: flood.pings }, 'no ping is refused');
      await until('a disk that is short of space', () => /"space is short"/.test(first.log()));
      if (ending !== null) {
        await first.stop(ending);
        await service.start();
      }
      const [monitor] = monitors;
      assert.ok(monitor);
      const { pathname } = new URL(monitor.pingUrl);
      assert.equal((await service.askSite(`${pathname}/fail`)).status, 200);
      assert.equal((await readMonitor(monitor.id)).status, 'down', 'its state is kept');
      await assertRunsGoOn(service);
      await until('free space', async () => !(await isFull(service)));
      assert.equal((await service.ask('POST', '/jobs', jobNamed('more', service))).status, 201);
      for (const { id } of monitors.slice(0, 5)) {
        assert.ok((await readPings(id, '?limit=100')).length >= alwaysKept);
      }
    },
  );
}

/** Jobs that take 6 MB and more, which nothing removes but their deletion. */
const large = { count: 70, body: '\u20ac'.repeat(maxBodyLength) };

test(
  'where no history can go, jobd says so, runs go on, and deleting frees space',
  { skip },
  async (t) => {
    const ids: string[] = [];
    const service = await prepareOnSmallDisk(t, async ({ addJob }) => {
      for (let number = 0; number < large.count; number += 1) {
        const request = { url: 'http://127.0.0.1:1/', method: 'POST', body: large.body } as const;
        const input = { name: `large ${number}`, ...request, cronExpr: '0 0 29 2 *' };
        ids.push((await addJob(input, Date.now())).id);
      }
    });
    const daemon = await startWithReserve(service);
    startFiller(t, join(service.outside, '..', 'filler'), { isGreedy: false });
    const job = jobNamed('more', service);
    await until('the disk to be full', () => isFull(service));
    assertRefused(await service.ask('POST', '/jobs', job), 503, /^the disk is full/, 'create');
    assert.equal((await service.ask('GET', '/monitors')).status, 200);
    await assertRunsGoOn(service);
    await until('the line of the log', () => /no history is left to remove/.test(daemon.log()));
    for (const id of ids) {
      assert.equal((await service.ask('DELETE', `/jobs/${id}`)).status, 200);
    }
    await until('free space', async () => !(await isFull(service)));
    assert.equal((await service.ask('POST', '/jobs', job)).status, 201);
    await assertRunsGoOn(service);
  },
);

test('a start on a full disk, after a clean stop, uses the reserve', { skip }, async (t) => {
  const service = await prepareOnSmallDisk(t);
  const first = await startWithReserve(service);
  await first.stop('SIGTERM');
  // A clean stop leaves no log: every file that a start needs has to be made.
  const filler = startFiller(t, join(service.outside, '..', 'filler'), { isGreedy: false });
  await service.start();
  await assertRunsGoOn(service);
  assert.equal(await isFull(service), true);
  filler.stop();
  await until('free space', async () => !(await isFull(service)));
  await untilReserved(service);
});

function jobNamed(name: string, { witness }: Service): object {
  return { name, url: `${witness.url}/${name}`, cronExpr: '* * * * *' };
}

async function untilReserved({ outside }: Service): Promise<void> {
  const reserve = reservePath(outside);
  await until('the reserve', () => existsSync(reserve) && statSync(reserve).size > 0);
}

/** Starts it and makes its jobs due, one after the other. Resolves once the reserve is there. */
async function startWithReserve(service: Service): Promise<Process> {
  const daemon = await service.start();
  await service.dueIn(Object.fromEntries(jobs.map((name) => [name, Number(name) * 1_000])));
  await untilReserved(service);
  return daemon;
}

async function prepareOnSmallDisk(
  t: TestContext,
  prepare: (preparation: Preparation) => Promise<unknown> = async () => {},
): Promise<Service> {
  const directory = temporaryDirectory(t);
  const mounted = await makeNamespace(t, `mount -t tmpfs -o size=${diskMiB}m tmpfs ${directory}`);
  const namespace = { mounted, directory };
  return await prepareService(t, jobs, { prepare, namespace, periodSeconds: jobs.length });
}

/** The state in `/readyz`; it may have no other problem. */
async function isFull({ askSite }: Service): Promise<boolean> {
  const { status, body } = await askSite('/readyz');
  if (status === 200) return false;
  assert.match((body as { error: string }).error, /the disk is full/);
  return true;
}

/** Jobs that are due from now on are called and recorded. */
async function assertRunsGoOn({ ask, jobs: ids, witness }: Service): Promise<void> {
  const { arrivals } = witness;
  const { length } = arrivals;
  // A job that a test made may be due meanwhile: it has no id here.
  const jobOf = ({ path }: { path: string }) => ids[path.slice(1)];
  const call = await until('a call', () => arrivals.slice(length).find(jobOf));
  const run = `/jobs/${jobOf(call)}/runs/${call.runId}`;
  const isRecorded = async () => (await ask('GET', run)).body.run?.status === 'success';
  await until('its success', isRecorded);
}
