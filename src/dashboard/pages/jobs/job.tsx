/** One job: how it is, when it is called, what is called, and what came of it. */

import type { DueTimes } from '../../../api/jobs/extension-contract.ts';
import type { Job, JobResponse } from '../../../api/jobs/contract.ts';
import type { JobSummaryResponse } from '../../../api/overview/contract.ts';
import type { RunList, RunSummary } from '../../../api/runs/contract.ts';
import { now } from '../../client/clock.ts';
import { usePages } from '../../client/pages.ts';
import { ofJob, useResource } from '../../client/resource.ts';
import { Breadcrumbs } from '../../parts/breadcrumbs.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { query } from '../../router.ts';
import { historyChoice, historyPath } from '../../view/jobs/history.ts';
import { jobSentence } from '../../view/jobs/job-state.ts';
import { MissingPage } from '../missing.tsx';
import { Called } from './called.tsx';
import { Days } from './days.tsx';
import { NextDue } from './due-times.tsx';
import { Durations } from './durations.tsx';
import { History } from './history.tsx';
import { JobActions } from './job-actions.tsx';

/** The page. */
export function JobPage({ id }: { id: string }) {
  const found = useResource<JobResponse>(`/jobs/${id}`, ofJob(id));
  return (
    <Loaded from={found} missing={<MissingPage what="There is no such job." />}>
      {({ job }) => <Shown job={job} />}
    </Loaded>
  );
}

function Shown({ job }: { job: Job }) {
  const { id, name, timezone: zone } = job;
  const more = useResource<JobSummaryResponse>(`/overview/jobs/${id}`, ofJob(id)).body.value?.job;
  const due = useResource<DueTimes>(`/jobs/${id}/due-times`, ofJob(id));
  const counted = useResource<RunList>(`/jobs/${id}/runs?limit=1`, ofJob(id)).body.value;
  const choice = historyChoice(query.value);
  const path = historyPath(id, choice, zone);
  const history = usePages<RunSummary>(path, 'runs', ofJob(id), (run, { runs }) =>
    runs.some((changed) => changed.id === run.id),
  );
  const runs = history.rows.value ?? [];
  const totals = counted?.totals ?? null;
  const count = totals && Object.values(totals).reduce((sum, some) => sum + some, 0);
  return (
    <>
      <Breadcrumbs kind="job" />
      <div class="head">
        <Heading title={name}>
          <Glyph status={job.status} />
          <Outside text={name} />
        </Heading>
        <JobActions job={job} runs={runs} runCount={count} />
      </div>
      <Sentence job={job} more={more} note={due.body.value?.notes[0]} />
      {more !== undefined && more.key !== null && (
        <p class="managed">
          Managed by a file (key{' '}
          <code>
            <Outside text={more.key} />
          </code>
          ): <code>jobd apply</code> puts back what you change here.
        </p>
      )}
      <div class="columns">
        <NextDue job={job} due={due} />
        <Called job={job} />
      </div>
      {count !== 0 && (
        <>
          <Durations jobId={id} runs={runs} zone={zone} />
          <Days id={id} zone={zone} createdAt={job.createdAt} before={choice.before} />
        </>
      )}
      <History jobId={id} list={history} path={path} choice={choice} zone={zone} totals={totals} />
    </>
  );
}

interface SentenceProps {
  job: Job;
  more: JobSummaryResponse['job'] | undefined;
  note: string | undefined;
}

function Sentence({ job, more, note }: SentenceProps) {
  const { before, error, after } = jobSentence(job, {
    nowMs: now.value,
    note,
    ...(more && { failures: more.failures, failingSince: more.failingSince }),
  });
  return (
    <p class="sentence">
      {before}
      {error !== null && <Outside text={error} />}
      {after}
    </p>
  );
}
