/** Replays that several nodes are asked for at once (docs/behavior.md#replay-3). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJob } from '../../../../src/app/jobs/jobs.ts';
import { systemClock } from '../../../../src/domain/clock.ts';
import { insertScheduledRuns } from '../../../../src/store/runs/claims.ts';
import { replayRun } from '../../../../src/wings/replay/replay.ts';
import { makeDatabase } from '../../../support/postgres/database.ts';
import { postgresOfFile } from '../../../support/postgres/server.ts';
import { writerIn } from '../../../support/records/principal.ts';
import { missedRun } from '../../../support/records/run.ts';
import { quietApp } from '../../../support/running/app.ts';
import { loopback, openTestStore } from '../../../support/running/store.ts';

const { skip, started } = postgresOfFile();
const rounds = 20;

test('replays of one due time are one run, whichever nodes are asked', { skip }, async (t) => {
  const { url } = await started();
  const database = await makeDatabase(url);
  const nodes = [await openTestStore(t, database), await openTestStore(t, database)];
  const apps = nodes.map(({ store }) =>
    quietApp({ store, clock: systemClock, allowTargets: loopback }),
  );
  const [first = assert.fail()] = apps;
  const principal = writerIn(nodes[0]?.workspaceId ?? '');
  for (let round = 0; round < rounds; round += 1) {
    const job = { name: `job ${round}`, url: 'http://127.0.0.1:1/' };
    const { id: jobId } = await createJob(first, principal, job);
    const missed = missedRun(jobId, systemClock.now() - 60_000);
    await first.store.write((tx) => insertScheduledRuns(tx, [missed]));
    const replay = { jobId, runId: missed.id, dueAt: null, again: false };
    const all = [...apps, ...apps].map((app) => replayRun(app, principal, replay, null));
    const outcomes = await Promise.allSettled(all);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    assert.equal(refused.length, all.length - 1);
    assert.ok(
      refused.every((code) => ['conflict', 'rate_limited'].includes(code)),
      refused.join(),
    );
  }
});
