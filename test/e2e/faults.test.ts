/**
 * A store that cannot be written for a while, with real causes and the packaged executable: no call
 * goes out without a claim on the disk, nothing is acknowledged that is not stored, the process
 * keeps running, and afterwards everything continues without a restart.
 */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { assertRefused } from '../support/checks/answer.ts';
import { each } from '../support/each.ts';
import { notPackaged } from '../support/running/executable.ts';
import { until } from '../support/until.ts';
import { outages } from './faults/outages.ts';
import type { Service } from './faults/service.ts';

// They mostly wait.
describe('a store that fails', { concurrency: 4 }, () => {
  for (const { what, skip, prepare, begin } of outages) {
    test(
      `while ${what}, nothing due is called and nothing is acknowledged; afterwards everything continues`,
      { skip: notPackaged || skip },
      async (t) => {
        const service = await prepare(t, ['before', 'during']);
        const { witness, untilRun } = service;
        const daemon = await service.start();
        await service.dueIn({ before: 0 });
        await untilRun('before', 'success');
        assert.deepEqual(await service.askSite('/readyz'), {
          status: 200,
          body: { status: 'ready', notes: [] },
        });

        const thaw = await service.freezeWithDue(daemon, 'during');
        const outage = await begin(t, service, daemon.pid);
        thaw();
        await assertNothingIsPromised(service);
        await until('a claim that failed', () => fails(service, 'claim'));
        assert.deepEqual(witness.at('/during'), [], 'nothing is called that is not claimed');
        await assertNotReady(service);

        await outage.end();
        await untilRun('during', 'success');
        await until('readiness', async () => (await service.askSite('/readyz')).status === 200);
        await assertNothingIsKept(service);
        assert.equal(await daemon.stop(), 0, daemon.log());
        assert.equal(witness.at('/before').length, 1);
        assert.equal(witness.at('/during').length, 1);
        assert.deepEqual(service.audit(), []);
      },
    );

    test(
      `an outcome that arrives while ${what} waits, and is stored afterwards`,
      { skip: notPackaged || skip },
      async (t) => {
        const held: ServerResponse[] = [];
        const answer = (response: ServerResponse): void => void held.push(response);
        const service = await prepare(t, ['held'], { answer });
        const daemon = await service.start();
        await service.dueIn({ held: 0 });
        await until('the call', () => held.length === 1);
        const outage = await begin(t, service, daemon.pid);
        held[0]?.end('the outcome');
        await until('a record that failed', () => fails(service, 'record'));
        assert.equal((await service.newestRun('held'))?.status, 'running');
        await assertNotReady(service);
        await outage.end();
        await service.untilRun('held', 'success');
        assert.equal((await service.newestRun('held'))?.responseBody, 'the outcome');
        assert.equal(await daemon.stop(), 0, daemon.log());
        assert.equal(service.witness.arrivals.length, 1);
        assert.deepEqual(service.audit(), []);
      },
    );

    test(
      `a daemon that is killed while ${what} sends nothing again`,
      { skip: notPackaged || skip },
      async (t) => {
        const held: ServerResponse[] = [];
        const service = await prepare(t, ['held', 'during'], {
          answer(response, { path }) {
            if (path === '/held') held.push(response);
            else response.end();
          },
        });
        const daemon = await service.start();
        await service.dueIn({ held: 0 });
        await until('the call', () => held.length === 1);
        const thaw = await service.freezeWithDue(daemon, 'during');
        const outage = await begin(t, service, daemon.pid);
        thaw();
        held[0]?.end('lost');
        await until('a claim that failed', () => fails(service, 'claim'));
        assert.equal(await daemon.stop('SIGKILL'), 'SIGKILL');
        await outage.end();
        const again = await service.start();
        // A commit whose sync failed may be on the disk: then the answer that came was recorded.
        for (const job of ['held', 'during']) {
          await until(`an end of the run of ${job}`, async () =>
            ['success', 'interrupted'].includes((await service.newestRun(job))?.status ?? ''),
          );
        }
        assert.equal(await again.stop(), 0, again.log());
        assert.equal(service.witness.at('/held').length, 1);
        assert.deepEqual(service.audit(), []);
      },
    );
  }
});

/** Whether the last step of a loop failed, as readiness says. */
async function fails({ askSite }: Service, loop: string): Promise<boolean> {
  const { body } = await askSite('/readyz');
  const { error = '' } = body as { error?: string };
  return new RegExp(`\\b${loop}\\b[a-z, ]* fails?\\)`).test(error);
}

/** Writes are refused, reads still work, the process is alive. */
async function assertNothingIsPromised({ ask, askSite, jobs, witness }: Service): Promise<void> {
  const id = jobs['before'];
  const why = /^the database cannot be used now: /;
  const job = { name: 'refused', url: `${witness.url}/refused`, cronExpr: '* * * * *' };
  const writes: [string, string, object?][] = [
    ['POST', '/jobs', job],
    ['PATCH', `/jobs/${id}`, { notes: 'refused' }],
    ['POST', `/jobs/${id}/run`],
    ['DELETE', `/jobs/${id}`],
  ];
  const refuse = async (write: (typeof writes)[number]): Promise<void> =>
    assertRefused(await ask(...write), 503, why, `${write[0]} ${write[1]}`);
  await Promise.all(writes.map(refuse));
  const answers = await Promise.all([ask('GET', '/jobs'), ask('GET', `/jobs/${id}/runs`)]);
  assert.deepEqual(each(answers, 'status'), [200, 200]);
  assert.equal((await askSite('/healthz')).status, 200);
}

/** Nothing of the refused requests is stored, and the same requests succeed now. */
async function assertNothingIsKept({ ask, jobs, witness }: Service): Promise<void> {
  const list = (await ask('GET', '/jobs')).body.jobs as { name: string; notes: string }[];
  assert.deepEqual(list.map(({ name, notes }) => `${name} ${notes}`).toSorted(), [
    'before ',
    'during ',
  ]);
  const runs = await ask('GET', `/jobs/${jobs['before']}/runs`);
  assert.equal(runs.body.runs.length, 1);
  const taken = { name: 'taken', url: `${witness.url}/taken`, cronExpr: '0 0 29 2 *' };
  assert.equal((await ask('POST', '/jobs', taken)).status, 201);
}

async function assertNotReady({ askSite }: Service): Promise<void> {
  const { status, body } = await askSite('/readyz');
  assert.equal(status, 503);
  assert.deepEqual(Object.keys(body as object), ['error']);
  assert.match(
    (body as { error: string }).error,
    /^not ready since \S+: .*the database cannot be used now/,
  );
}
