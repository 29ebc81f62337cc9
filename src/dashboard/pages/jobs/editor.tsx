/** The editor of a job: a new one, or one that there is. */

import { useEffect, useState } from 'preact/hooks';
import type { Job, JobResponse } from '../../../api/jobs/contract.ts';
import type { JobSummary } from '../../../api/overview/contract.ts';
import { ofJob, ofNothing, useResource } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Breadcrumbs } from '../../parts/breadcrumbs.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { ReadOnly } from '../../parts/read-only.tsx';
import { browserZone } from '../../view/times.ts';
import { changedFields, formOf, newForm } from '../../view/jobs/job-form.ts';
import { MissingPage } from '../missing.tsx';
import { JobFormPage } from './edit/form.tsx';
import { ChangedNote, GoneNote, ManagedNote } from './edit/notes.tsx';

/** The page. */
export function JobEditor({ id }: { id?: string }) {
  if (!mayWrite.value) {
    return <ReadOnly title={id === undefined ? 'New job' : 'Edit job'} to="/" word="Jobs" />;
  }
  return id === undefined ? <NewJob /> : <EditedJob id={id} />;
}

function NewJob() {
  const [base] = useState(() => newForm(browserZone()));
  return (
    <JobFormPage
      base={base}
      head={
        <>
          <Breadcrumbs kind="job" />
          <Heading title="New job" />
        </>
      }
    />
  );
}

function EditedJob({ id }: { id: string }) {
  const job = useResource<JobResponse>(`/jobs/${id}`, ofJob(id));
  const isGone = job.failure.value?.status === 404;
  // What was typed stays, even when the job is gone.
  const missing = job.body.value === null ? <MissingPage what="There is no such job." /> : null;
  return (
    <Loaded from={job} {...(missing !== null && { missing })}>
      {({ job: current }) => <Editor current={current} isGone={isGone} />}
    </Loaded>
  );
}

/** `current` is the job as it is now, also when somebody else changes it meanwhile. */
function Editor({ current, isGone }: { current: Job; isGone: boolean }) {
  const [job, setJob] = useState(current);
  const [isDirty, setDirty] = useState(false);
  const changed = changedFields(job, current);
  const isOther = changed.length > 0;
  useEffect(() => {
    if (isOther && !isDirty) setJob(current);
  }, [isOther, isDirty, current]);
  const managedKey = useManagedKey(job);
  return (
    <JobFormPage
      job={job}
      base={formOf(job)}
      onDirty={setDirty}
      head={
        <>
          <Breadcrumbs kind="job" below={job} />
          <Heading title={`Edit ${job.name}`}>
            Edit <Outside text={job.name} />
          </Heading>
          {managedKey !== null && <ManagedNote name={managedKey} />}
          {isGone && <GoneNote />}
          {isOther && isDirty && !isGone && (
            <ChangedNote fields={changed} onReload={() => setJob(current)} />
          )}
        </>
      }
    />
  );
}

/** Only lists say whether a job is managed. */
function useManagedKey({ id, name }: Job): string | null {
  const [q] = useState(() => name);
  const path = `/overview/jobs?limit=100&q=${encodeURIComponent(q)}`;
  const found = useResource<{ jobs: JobSummary[] }>(path, ofNothing).body.value;
  return found?.jobs.find((row) => row.id === id)?.key ?? null;
}
