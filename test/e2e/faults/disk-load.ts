/**
 * Load on a service whose disk is full, and what was promised to its clients. Every acknowledgement is noted: at the end each must
 * be found again, or be history that was removed for its age.
 */

import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { alwaysKept } from '../../../src/domain/space.ts';
import { ping, type PingedMonitor } from '../../support/records/monitor.ts';
import type { Service } from './service.ts';

/** What clients were told. */
export interface Promises {
  /** Ids of jobs whose creation was answered 201. */
  jobs: Set<string>;
  /** Ids of runs whose request was answered 2xx. */
  runs: Set<string>;
  pings: number;
  /** How often the state of a monitor was compared with its last acknowledged ping. */
  compared: number;
  /** Refusals by status, of everything. */
  refused: Record<string, number>;
}

const bodyBytes = 4_000;
const pingEveryMs = 300;
const compareEvery = 20;
const createEveryMs = 1_000;
const runEveryMs = 500;

export interface Load {
  /** What was promised so far. */
  promises: Promises;
  /** Ends it. Rejects if a promise was not kept meanwhile. */
  readonly end: () => Promise<void>;
}

/** Puts load on until it is ended. */
export function putLoadOn(service: Service, monitors: readonly PingedMonitor[]): Load {
  const over = new AbortController();
  const promises: Promises = {
    jobs: new Set(),
    runs: new Set(),
    pings: 0,
    compared: 0,
    refused: {},
  };
  const refuse = (status: number): void => {
    promises.refused[status] = (promises.refused[status] ?? 0) + 1;
  };
  const pingOne = async (monitor: PingedMonitor, index: number): Promise<void> => {
    for (let count = index; !over.signal.aborted; count += 1) {
      const kind = count % 3 === 0 ? 'fail' : '0';
      const body = `ping ${count} `.padEnd(bodyBytes, 'x');
      const { status } = await ping(`${monitor.pingUrl}/${kind}`, { method: 'POST', body });
      if (status === 200) promises.pings += 1;
      else refuse(status);
      if (status === 200 && count % compareEvery === 0) {
        const answer = await service.ask('GET', `/monitors/${monitor.id}`);
        if (answer.status === 200) {
          assert.equal(
            answer.body.monitor.status,
            kind === 'fail' ? 'down' : 'up',
            'a ping counts',
          );
          promises.compared += 1;
        } else refuse(answer.status);
      }
      await setTimeout(pingEveryMs);
    }
  };
  const createJobs = async (): Promise<void> => {
    for (let count = 0; !over.signal.aborted; count += 1) {
      const job = {
        name: `made ${count}`,
        url: `${service.witness.url}/made`,
        cronExpr: '0 0 29 2 *',
      };
      const { status, body } = await service.ask('POST', '/jobs', job);
      if (status === 201) promises.jobs.add(body.job.id);
      else refuse(status);
      await setTimeout(createEveryMs);
    }
  };
  const requestRuns = async (): Promise<void> => {
    const ids = Object.values(service.jobs);
    for (let count = 0; !over.signal.aborted; count += 1) {
      const { status, body } = await service.ask('POST', `/jobs/${ids[count % ids.length]}/run`);
      if (status < 300) promises.runs.add(body.run.id);
      else refuse(status);
      await setTimeout(runEveryMs);
    }
  };
  const load = Promise.all([...monitors.map(pingOne), createJobs(), requestRuns()]);
  load.catch(() => {});
  return {
    promises,
    async end() {
      over.abort();
      await load;
    },
  };
}

/** What is wrong with the books, in sentences. `settled`: when load ended, in epoch milliseconds. */
export function auditPromises(service: Service, promises: Promises): string[] {
  const { jobs, runs, damage } = service.books();
  const wrong = [...damage];
  const known = new Set(jobs.map(({ id }) => id));
  for (const id of promises.jobs) if (!known.has(id)) wrong.push(`job ${id} is lost`);
  const runOf = new Map(runs.map((run) => [run.id, run]));
  const called = Map.groupBy(service.witness.arrivals, ({ runId }) => runId);
  for (const id of promises.runs) {
    if (!called.has(id)) wrong.push(`run ${id} was accepted and never called`);
  }
  for (const [id, arrivals] of called) {
    if (arrivals.length > 1) wrong.push(`run ${id} was called ${arrivals.length} times`);
  }
  for (const [path, arrivals] of Map.groupBy(service.witness.arrivals, (one) => one.path)) {
    for (const { runId } of arrivals.slice(-alwaysKept)) {
      const status = runOf.get(runId)?.status;
      if (status !== 'success')
        wrong.push(`run ${runId} of ${path} was answered, and is ${status}`);
    }
  }
  for (const { id, status } of runs) {
    if (status === 'running' || status === 'interrupted') wrong.push(`run ${id} is ${status}`);
    if (status === 'success' && !called.has(id)) wrong.push(`run ${id} is success, never called`);
  }
  return wrong;
}
