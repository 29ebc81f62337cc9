/** One run: what happened and when, why, what the target answered, and its receipt. */

import type { Job, JobResponse } from '../../../api/jobs/contract.ts';
import type { Run, RunHistory, RunResponse } from '../../../api/runs/contract.ts';
import { originOf } from '../../../domain/runs/run.ts';
import { now } from '../../client/clock.ts';
import { runNow, runWait, setPaused } from '../../client/actions.ts';
import { liveState } from '../../client/live.ts';
import { ofOne, ofNothing, useResource } from '../../client/resource.ts';
import { mayWrite } from '../../client/session.ts';
import { useShortcuts } from '../../client/shortcuts.ts';
import { Breadcrumbs } from '../../parts/thing.tsx';
import { Why } from '../../parts/why.tsx';
import { Button, Glyph, Link, Outside, At } from '../../parts/basic.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Instead, Loaded, MissingThing } from '../../parts/loaded.tsx';
import { go } from '../../router.ts';
import { lists } from '../../view/places.ts';
import { dueTimeOf, isUnderWay, runSentence } from '../../view/run.ts';
import { timeIn } from '../../view/times.ts';
import { Answer } from './answer.tsx';
import { Receipt } from './receipt.tsx';
import { Report } from './report.tsx';
import { Timeline } from './timeline.tsx';
import { useState } from 'preact/hooks';
import { CurlDialog } from '../../parts/dialogs.tsx';

/** The page. */
export function RunPage({ id, jobId }: { id: string; jobId: string }) {
  const job = useResource<JobResponse>(`/jobs/${jobId}`, ofOne('job', jobId));
  const run = useResource<RunResponse>(`/jobs/${jobId}/runs/${id}`, ({ runs }) =>
    runs.some((changed) => changed.id === id),
  );
  const missing = (
    <Instead
      title="There is no such run, or it is not kept any more."
      {...(job.body.value === null ? lists.job : { to: `/jobs/${jobId}`, word: 'The job' })}
    />
  );
  return (
    <Loaded from={job} missing={<MissingThing kind="job" />}>
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
  const dueAt = dueTimeOf(run);
  const again = async (replayed?: string): Promise<void> => {
    if (isWaiting) return;
    const next = await runNow(job, replayed);
    if (next !== null) go(`/jobs/${job.id}/runs/${next}`);
  };
  useShortcuts(mayWrite.value ? { r: () => void again() } : {});
  return (
    <>
      <Breadcrumbs kind="job" below={job} />
      <div class="head">
        <Heading title={`${title}, ${job.name}`}>
          <Glyph status={run.status} />
          {title}
        </Heading>
        <div class="actions">
          <CopyAsCurl job={job} />
          {mayWrite.value && dueAt !== null && (
            <Button aria-disabled={isWaiting} onClick={() => void again(run.id)}>
              Replay for {timeIn(dueAt, now.peek(), zone)}
            </Button>
          )}
          {mayWrite.value && (
            <Button aria-disabled={isWaiting} onClick={() => void again()}>
              Run again{waitSeconds > 0 && ` in ${waitSeconds} s`}
            </Button>
          )}
        </div>
      </div>
      <WhatHappened run={run} zone={zone} />
      {job.paused && (
        <p class="actions">
          The job is paused.
          {mayWrite.value && (
            <Button onClick={() => void setPaused('job', job, false)}>Resume</Button>
          )}
        </p>
      )}
      <Timeline run={run} zone={zone} />
      {run.report !== undefined && <Report run={run} report={run.report} zone={zone} />}
      {run.status !== 'missed' && <Answer key={run.id} run={run} />}
      <Receipt run={run} />
      <Before job={job} run={run} zone={zone} />
    </>
  );
}

function WhatHappened({ run, zone }: { run: Run; zone: string | undefined }) {
  const isMakeUp = originOf(run, run.jobId) === 'make_up';
  const [before, error, after] = runSentence(run, now.value);
  return (
    <section class="stack">
      <h2 class="hidden">What happened</h2>
      {/* A sentence that counts seconds must not be said again and again. */}
      <p class="sentence">
        {before}
        {error !== null && <Outside text={error} />}
        {after}
      </p>
      <p class="hidden" role="status">
        {run.status}
      </p>
      {run.causedBy !== undefined && (
        <p class="quiet">
          {isMakeUp ? 'It makes up for ' : 'It was started by '}
          <Link to={`/jobs/${run.causedBy.jobId}/runs/${run.causedBy.runId}`}>
            {isMakeUp ? 'a missed run' : 'a run'}
          </Link>
          {!isMakeUp && ' of the job that this one runs after'}.
        </p>
      )}
      {run.dueAt !== undefined && (
        <p class="quiet">
          It stands for <At at={run.dueAt} zone={zone} />.
        </p>
      )}
      {isUnderWay(run) && (
        <p class="quiet">
          {liveState.value === 'paused'
            ? 'Changes of this page are paused.'
            : 'This page shows the result when it is there.'}
        </p>
      )}
      <Why
        key={run.status}
        jobId={run.jobId}
        runId={run.id}
        zone={zone}
        isAsked={run.status !== 'success' && !isUnderWay(run)}
      />
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
      Run before: <Glyph status={found.status} />{' '}
      <Link to={`/jobs/${job.id}/runs/${found.id}`}>
        <At at={found.scheduledFor} zone={zone} />, {found.status}
      </Link>
    </p>
  );
}

function CopyAsCurl({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Copy as curl</Button>
      {isOpen && (
        <CurlDialog job={job} onClose={() => setOpen(false)}>
          <p class="hint">As the job is now; it may have changed since this run.</p>
        </CurlDialog>
      )}
    </>
  );
}
