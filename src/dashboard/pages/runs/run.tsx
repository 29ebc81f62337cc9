/** One run: what happened and when, what it means, what the target answered, and its receipt. */

import type { Job, JobResponse } from '../../../api/jobs/contract.ts';
import type { Run, RunHistory, RunResponse } from '../../../api/runs/contract.ts';
import { now } from '../../client/clock.ts';
import { runNow, runWait } from '../../client/actions/job-actions.ts';
import { setPaused } from '../../client/actions/update.ts';
import { liveState } from '../../client/live/live.ts';
import { ofJob, ofNothing, useResource } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { useShortcuts } from '../../client/shortcuts.ts';
import { Breadcrumbs } from '../../parts/breadcrumbs.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Link } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { At } from '../../parts/time.tsx';
import { go } from '../../router.ts';
import { explain } from '../../view/runs/failures.ts';
import { isUnderWay, runSentence } from '../../view/runs/run.ts';
import { timeIn } from '../../view/times.ts';
import { MissingPage } from '../missing.tsx';
import { Answer } from './answer.tsx';
import { CopyAsCurl } from './copy-as-curl.tsx';
import { Receipt } from './receipt.tsx';
import { Report } from './report.tsx';
import { Timeline } from './timeline.tsx';

/** The page. */
export function RunPage({ id, jobId }: { id: string; jobId: string }) {
  const job = useResource<JobResponse>(`/jobs/${jobId}`, ofJob(jobId));
  const run = useResource<RunResponse>(`/jobs/${jobId}/runs/${id}`, ({ runs }) =>
    runs.some((changed) => changed.id === id),
  );
  const missing = (
    <MissingPage
      what="There is no such run, or it is not kept any more."
      {...(job.body.value !== null && { to: `/jobs/${jobId}`, word: 'The job' })}
    />
  );
  return (
    <Loaded from={job} missing={<MissingPage what="There is no such job." />}>
      {({ job: found }) => (
        <Loaded from={run} missing={missing}>
          {(body) => <Told job={found} run={body.run} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Told({ job, run }: { job: Job; run: Run }) {
  const zone = job.scheduleType === 'cron' ? job.timezone : undefined;
  const title = `Run of ${timeIn(run.scheduledFor, now.peek(), zone)}`;
  const waitSeconds = runWait(job.id);
  const isWaiting = waitSeconds > 0 || isUnderWay(run);
  const again = async (): Promise<void> => {
    if (isWaiting) return;
    const next = await runNow(job);
    if (next !== null) go(`/jobs/${job.id}/runs/${next}`);
  };
  useShortcuts(mayWrite.value ? { r: () => void again() } : {});
  return (
    <>
      <Breadcrumbs kind="job" below={job} />
      <div class="head">
        <Heading title={`${title}, ${job.name}`}>
          <Glyph status={run.status === 'queued' ? 'new' : run.status} />
          {title}
        </Heading>
        <div class="actions">
          <CopyAsCurl job={job} />
          {mayWrite.value && (
            <button type="button" aria-disabled={isWaiting} onClick={() => void again()}>
              Run again{waitSeconds > 0 && ` in ${waitSeconds} s`}
            </button>
          )}
        </div>
      </div>
      <WhatHappened run={run} zone={zone} />
      {job.paused && (
        <p class="actions">
          The job is paused.
          {mayWrite.value && (
            <button type="button" onClick={() => void setPaused('job', job, false)}>
              Resume
            </button>
          )}
        </p>
      )}
      <Timeline run={run} zone={zone} />
      {run.completion !== undefined && <Report run={run} completion={run.completion} zone={zone} />}
      {run.status !== 'missed' && <Answer key={run.id} run={run} />}
      <Receipt run={run} />
      <Before job={job} run={run} zone={zone} />
    </>
  );
}

function WhatHappened({ run, zone }: { run: Run; zone: string | undefined }) {
  const why = explain(run, zone);
  return (
    <section class="told">
      <h2 class="hidden">What happened</h2>
      {/* A sentence that counts seconds must not be said again and again. */}
      <p class="sentence">{runSentence(run, now.value)}</p>
      <p class="hidden" role="status">
        {run.status}
      </p>
      {run.causedBy !== undefined && (
        <p class="quiet">
          It was started by{' '}
          <Link to={`/jobs/${run.causedBy.jobId}/runs/${run.causedBy.runId}`}>a run</Link> of the
          job that this one runs after.
        </p>
      )}
      {isUnderWay(run) && (
        <p class="quiet">
          {liveState.value === 'paused'
            ? 'Changes of this page are paused.'
            : 'This page shows the result when it is there.'}
        </p>
      )}
      {run.error !== null && (
        <p class={`fault ${run.status}`}>
          <Outside text={run.error} />
        </p>
      )}
      {why !== null && (
        <dl class="facts">
          <dt>What this means</dt>
          <dd>{why.means}</dd>
          <dt>What to do</dt>
          <dd>{why.todo}</dd>
        </dl>
      )}
    </section>
  );
}

/** The run before this one. */
function Before({ job, run, zone }: { job: Job; run: Run; zone: string | undefined }) {
  const before = encodeURIComponent(run.scheduledFor);
  const { body } = useResource<RunHistory>(
    `/jobs/${job.id}/history?before=${before}&limit=1`,
    ofNothing,
  );
  const found = body.value?.runs[0];
  if (found === undefined) return null;
  return (
    <p class="before">
      Run before: <Glyph status={found.status === 'queued' ? 'new' : found.status} />{' '}
      <Link to={`/jobs/${job.id}/runs/${found.id}`}>
        <At at={found.scheduledFor} zone={zone} />, {found.status}
      </Link>
    </p>
  );
}
