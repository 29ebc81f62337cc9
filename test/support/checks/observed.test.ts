/** The judge of many nodes finds every kind of wrong history, and nothing wrong in a sound one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import type { Receipt } from '../../../src/domain/proof/receipt.ts';
import { runDocument, runStatuses } from '../../../src/domain/runs/run.ts';
import type { Run, RunStatus, RunTotals } from '../../../src/domain/runs/run.ts';
import { job } from '../../../src/api/jobs/examples.ts';
import { keyDocument } from '../../../src/receipt/key.ts';
import {
  answeredRun,
  attackerKey,
  fileOf,
  payloadOf,
  signed,
  signingKey,
} from '../records/receipts.ts';
import { auditObserved, type Observed, type Span } from './observed.ts';

const minuteMs = 60_000;
const createdAt = Date.parse('2025-10-09T05:30:00.000Z');
const jobId = newId(createdAt);
const statuses = ['success', 'failed', 'failed', 'success', 'interrupted', 'missed', 'success'];

/** A history that can be changed. */
type History = Observed & {
  peace: Span[];
  runs: Observed['runs'][number][];
  receipts: Map<string, Uint8Array>;
  arrivals: Observed['arrivals'][number][];
  alerts: Observed['alerts'][number][];
};

/** A job that is due each minute, and a run for each of them. */
function soundHistory(): History {
  const runs = statuses.map((status, index) => runOf(status as RunStatus, index));
  const answered = runs.filter(({ httpStatus }) => httpStatus !== null);
  const arrived = runs.filter(({ status }) => status !== 'missed');
  return {
    jobs: [
      {
        ...(job as Observed['jobs'][number]),
        id: jobId,
        name: 'backup',
        scheduleType: 'period',
        periodSeconds: minuteMs / 1_000,
        cronExpr: null,
        timeoutSeconds: 10,
        createdAt: new Date(createdAt).toISOString(),
        nextRunAt: new Date(dueAt(runs.length)).toISOString(),
      },
    ],
    listedAt: dueAt(runs.length) - 1_000,
    edited: new Set(),
    peace: [{ from: createdAt, to: Infinity }],
    runs: runs.map(runDocument),
    totals: new Map([[jobId, totalsOf(runs)]]),
    receipts: receiptsOf(answered),
    keys: fileOf(keyDocument(signingKey)),
    arrivals: arrived.map(({ id, startedAt }) => ({ runId: id, path: '/backup', at: startedAt! })),
    alerts: [
      { type: 'job.failed', jobId, runId: runs[1]!.id, webhookId: 'a', isAcknowledged: true },
      { type: 'job.recovered', jobId, runId: runs[3]!.id, webhookId: 'b', isAcknowledged: true },
    ],
  };
}

function dueAt(index: number): number {
  return createdAt + (index + 1) * minuteMs;
}

function runOf(status: RunStatus, index: number): Run {
  const at = dueAt(index);
  const run = answeredRun({ id: newId(at), jobId }, at - createdAt);
  if (status === 'failed') return { ...run, status, httpStatus: 500, reason: 'http' };
  const without = { httpStatus: null, durationMs: null, responseBody: null };
  if (status === 'interrupted') {
    return { ...run, status, ...without, finishedAt: at + 18_000, reason: 'cut_off' };
  }
  const missed = { first: at, last: at, count: 1, from: null, until: null };
  const never = { startedAt: null, finishedAt: null, attempts: 0 };
  return status === 'missed'
    ? { ...run, status, ...without, ...never, reason: 'late', missed }
    : run;
}

function totalsOf(runs: readonly Run[]): RunTotals {
  const count = (status: RunStatus) => runs.filter((run) => run.status === status).length;
  return Object.fromEntries(runStatuses.map((status) => [status, count(status)])) as RunTotals;
}

function receiptsOf(runs: readonly Run[], key = signingKey): Map<string, Uint8Array> {
  let previous: Receipt | null = null;
  const receipts = new Map<string, Uint8Array>();
  for (const run of runs) {
    previous = signed(payloadOf(answeredRun(run), previous), key);
    receipts.set(run.id, fileOf(previous));
  }
  return receipts;
}

test('nothing is wrong in a sound history', () => {
  assert.deepEqual(auditObserved(soundHistory()), []);
});

test('an alert that came twice under its id is sound, and so is an edited job with a gap', () => {
  const history = soundHistory();
  history.alerts.push(history.alerts[1]!);
  assert.deepEqual(auditObserved(history), []);
  const [missed] = history.runs.splice(5, 1);
  assert.equal(missed?.status, 'missed');
  history.totals.get(jobId)!.missed = 0;
  assert.notDeepEqual(auditObserved(history), []);
  assert.deepEqual(auditObserved({ ...history, edited: new Set([jobId]) }), []);
});

test('a run that was closed late is sound where no node was left in peace', () => {
  const history = soundHistory();
  const [lost, later] = [history.runs[4]!, history.runs[6]!];
  history.runs[4] = { ...lost, finishedAt: later.startedAt };
  history.peace = [{ from: dueAt(4), to: dueAt(4) + 25_000 }];
  assert.deepEqual(auditObserved(history), []);
});

/** What may be wrong with a history, and what the judge says of it. */
const wrongs: [what: string, (history: History) => object | void, says: RegExp][] = [
  [
    'a run that was sent twice',
    ({ arrivals }) => void arrivals.push(arrivals[0]!),
    /^run \S+ was sent 2 times$/,
  ],
  [
    'a due time that was sent as two runs',
    ({ runs, arrivals }) => {
      const id = newId(createdAt);
      runs.push({ ...runs[4]!, id });
      arrivals.push({ ...arrivals[4]!, runId: id });
    },
    / was called twice$/,
  ],
  [
    'a due time that was sent twice by an edited job',
    (history) => {
      const { runs, arrivals } = history;
      const id = newId(createdAt);
      runs.push({ ...runs[4]!, id });
      arrivals.push({ ...arrivals[4]!, runId: id });
      return { edited: new Set([jobId]) };
    },
    / was called twice$/,
  ],
  [
    'a call that belongs to no run',
    ({ arrivals }) => void arrivals.push({ ...arrivals[0]!, runId: newId(createdAt) }),
    /belongs to no run$/,
  ],
  [
    'a due time without a run',
    ({ runs }) => void runs.splice(5, 1),
    /due time \d+ is accounted for 0 times$/,
  ],
  [
    'a job that is not called any more',
    () => ({ listedAt: dueAt(statuses.length) + 10 * minuteMs }),
    /due time \d+ is accounted for 0 times$/,
  ],
  [
    'a missed run that was sent',
    ({ runs, arrivals }) => void arrivals.push({ ...arrivals[0]!, runId: runs[5]!.id }),
    /is missed, yet was sent$/,
  ],
  [
    'a success that never arrived',
    ({ arrivals }) => void arrivals.shift(),
    /is success, yet was never sent$/,
  ],
  [
    'a run for ever running',
    ({ runs }) => void (runs[4] = { ...runs[4]!, status: 'running', finishedAt: null }),
    /is running for ever$/,
  ],
  [
    'an interrupted run that was closed late',
    ({ runs }) => void (runs[4] = { ...runs[4]!, finishedAt: runs[6]!.startedAt }),
    /was interrupted \d+ ms after its timeout$/,
  ],
  [
    'totals that are not those of the runs',
    ({ totals }) => void (totals.get(jobId)!.success += 1),
    /3 runs are success, its total says 4$/,
  ],
  [
    'an answered run without a receipt',
    ({ receipts, runs }) => void receipts.delete(runs[6]!.id),
    /is success, its receipt missing$/,
  ],
  [
    'a chain without its first receipt',
    ({ receipts, runs }) => void receipts.delete(runs[0]!.id),
    /^the first receipt of job \S+ is missing$/,
  ],
  [
    'a chain that is broken',
    ({ receipts, runs }) => void receipts.delete(runs[2]!.id),
    /the receipt that .* follows is missing/,
  ],
  [
    'a chain that forks',
    ({ receipts, runs }) => {
      const begin = JSON.parse(Buffer.from(receipts.get(runs[0]!.id)!).toString()) as Receipt;
      const other = { ...answeredRun(runOf('failed', 2)), id: runs[2]!.id };
      receipts.set(runs[2]!.id, fileOf(signed(payloadOf(other, begin), signingKey)));
    },
    /follows the same receipt as another/,
  ],
  [
    'receipts of another key',
    () => ({ keys: fileOf(keyDocument(attackerKey)) }),
    /^invalid: .* is not trusted/,
  ],
  [
    'a receipt that says something else',
    ({ runs }) => void (runs[6] = { ...runs[6]!, attempts: 2 }),
    /^the receipt of run \S+ says something else$/,
  ],
  [
    'a change that was not alerted',
    ({ alerts }) => void alerts.pop(),
    /^job.recovered of run \S+ is missing$/,
  ],
  [
    'a change that was alerted under two ids',
    ({ alerts }) => void alerts.push({ ...alerts[1]!, webhookId: 'c' }),
    /^job.recovered of run \S+ came under 2 ids$/,
  ],
  [
    'an id of two changes',
    ({ alerts }) => void (alerts[1]!.webhookId = 'a'),
    /^id a is of different changes$/,
  ],
  [
    'an alert of no change',
    ({ alerts, runs }) => void alerts.push({ ...alerts[0]!, runId: runs[2]!.id, webhookId: 'c' }),
    /is not a health change$/,
  ],
  ['alerts out of order', ({ alerts }) => ({ alerts: alerts.toReversed() }), /came out of order$/],
];

for (const [what, spoil, says] of wrongs) {
  test(what, () => {
    const history = soundHistory();
    const changed = { ...history, ...spoil(history) };
    const wrong = auditObserved(changed);
    assert.ok(
      wrong.some((sentence) => says.test(sentence)),
      wrong.join('\n') || 'nothing found',
    );
  });
}
