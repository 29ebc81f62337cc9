/** One of three nodes freezes at a chosen moment: inside a claim, or between a claim and the first byte of its calls. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { onServer } from '../../support/postgres/database.ts';
import { freezeBetweenTransactions } from '../../support/postgres/freeze.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { cannotTrace, injectFaultInto } from '../../support/running/strace.ts';
import type { Process } from '../../support/running/executable.ts';
import { until } from '../../support/until.ts';
import { prepareOnServer, skip, untilCalls } from '../postgres/service.ts';

const jobCount = 40;

/** The states of all threads of a process are letters of proc_pid_stat(5). */
async function untilStopped({ pid }: Process): Promise<void> {
  const isStopped = () => /^\d+ \(.*\) [tT] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  await until('a process that is stopped', isStopped);
}

/** Lets a process go on, now and at the end of a test that fails. */
function goOn({ pid }: Process): void {
  process.kill(pid, 'SIGCONT');
}

function endWith(t: TestContext, node: Process): void {
  t.after(() => node.stop('SIGKILL'));
}

test(
  'a node that freezes inside a claim: others call its jobs before it is declared gone',
  { skip },
  async (t) => {
    await using server = await startPostgres();
    const service = await prepareOnServer(t, server.url, jobCount);
    const proxy = await startProxy(t, server.port);
    const frozen = await service.start(proxy.urlOf(service.database));
    endWith(t, frozen);
    proxy.decide = ({ text }) => {
      if (!text.startsWith('insert into "runs"')) return 'passes';
      // The server does what was asked, and waits for the rest of the transaction.
      process.kill(frozen.pid, 'SIGSTOP');
      proxy.decide = () => 'passes';
      return 'passes';
    };
    const others = [await service.start(), await service.start()];
    for (const other of others) endWith(t, other);
    await freezeBetweenTransactions(service.database, others);
    await service.storm(0, 0);
    await untilStopped(frozen);
    const open = `select 1 from pg_stat_activity
      where state = 'idle in transaction' and query like 'insert into "runs"%'`;
    const isOpen = async () => (await onServer(service.database, open)).length > 0;
    await until('a claim that is open', isOpen);
    for (const other of others) goOn(other);
    await untilCalls(service, jobCount);
    const gone = 'select 1 from nodes where ended_at is not null';
    assert.deepEqual(await onServer(service.database, gone), [], 'it is not declared gone yet');
    goOn(frozen);
    const { runs } = await service.untilSettled();
    assert.deepEqual([...new Set(runs.map(({ status }) => status))], ['success']);
    assert.deepEqual(await service.audit(), []);
    await service.storm(0, 0);
    await untilCalls(service, 2 * jobCount);
    await service.untilSettled();
    for (const node of [frozen, ...others]) assert.equal(await node.stop(), 0, node.log());
    assert.equal(service.witness.arrivals.length, 2 * jobCount);
  },
);

test(
  'a node that freezes between a claim and the first byte: its runs are interrupted and not sent when it wakes up',
  { skip: skip || cannotTrace },
  async (t) => {
    await using server = await startPostgres();
    const service = await prepareOnServer(t, server.url, jobCount);
    const frozen = await service.start();
    endWith(t, frozen);
    // The first call starts the thread of calls.
    assert.equal((await service.ask('POST', `/jobs/${service.jobs[0]}/run`)).status, 202);
    await untilCalls(service, 1);
    const connecting = { pid: frozen.pid, name: 'egress' };
    const fault = await injectFaultInto(t, connecting, 'connect:signal=SIGSTOP:when=5');
    await service.storm(0, 0);
    await untilStopped(frozen);
    await fault.lift();
    const sent = service.witness.arrivals.length;
    const others = [await service.start(), await service.start()];
    const { runs } = await service.untilSettled();
    assert.deepEqual(await service.audit(), []);
    const interrupted = runs.filter(({ status }) => status === 'interrupted');
    t.diagnostic(`${interrupted.length} runs were interrupted, ${sent} had been sent`);
    assert.ok(interrupted.length > sent);
    goOn(frozen);
    await until('a new id', () => frozen.log().includes('continues under a new id'));
    const before = service.witness.arrivals.length;
    await service.storm(0, 0);
    await untilCalls(service, before + jobCount);
    await service.untilSettled();
    for (const node of [frozen, ...others]) assert.equal(await node.stop(), 0, node.log());
    const { arrivals } = service.witness;
    const late = arrivals
      .slice(sent)
      .filter(({ runId }) => interrupted.some(({ id }) => id === runId));
    assert.deepEqual(late, [], 'nothing of them was sent');
  },
);
