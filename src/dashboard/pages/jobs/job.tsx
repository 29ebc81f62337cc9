/** One job: how it is, when it is called, what is called, and what came of it. */

import { useSignal } from '@preact/signals';
import type { Job, JobResponse } from '../../../api/jobs/contract.ts';
import type { DueTimes } from '../../../api/jobs/extension-contract.ts';
import type { JobSummaryResponse } from '../../../api/overview/contract.ts';
import type { RunList, RunSummary } from '../../../api/runs/contract.ts';
import { runNow, runWait } from '../../client/actions.ts';
import { useBusy } from '../../client/busy.ts';
import { now } from '../../client/clock.ts';
import { usePages } from '../../client/pages.ts';
import { ofOne, useResource } from '../../client/resource.ts';
import { create, mayWrite } from '../../client/session.ts';
import { useShortcuts } from '../../client/shortcuts.ts';
import { showToast } from '../../client/toasts.ts';
import { Button, Outside } from '../../parts/basic.tsx';
import { CurlDialog } from '../../parts/dialogs.tsx';
import { Progress } from '../../parts/progress.tsx';
import { PauseButton, ThingHead } from '../../parts/thing.tsx';
import { Why } from '../../parts/why.tsx';
import { go, query } from '../../router.ts';
import { figures } from '../../view/figures.ts';
import { copyName, historyChoice, historyPath } from '../../view/history.ts';
import { jobSentence } from '../../view/job-state.ts';
import { Called } from './called.tsx';
import { Days } from './days.tsx';
import { NextDue } from './due-times.tsx';
import { Durations } from './durations.tsx';
import { History } from './history.tsx';
import { Managed } from './managed.tsx';
import { Rates } from './rates.tsx';
import { isUnderWay } from '../../view/run.ts';

/** What is on its page. */
export function JobPage({ job }: { job: Job }) {
  const { id, timezone: zone } = job;
  const due = useResource<DueTimes>(`/jobs/${id}/due-times`, ofOne('job', id));
  const counted = useResource<RunList>(`/jobs/${id}/runs?limit=1`, ofOne('job', id)).body.value;
  const choice = historyChoice(query.value);
  const path = historyPath(id, choice, zone);
  const history = usePages<RunSummary>(path, 'runs', ofOne('job', id), (run, { runs }) =>
    runs.some((changed) => changed.id === run.id),
  );
  const runs = history.rows.value ?? [];
  const totals = counted?.totals ?? null;
  const count = totals && Object.values(totals).reduce((sum, some) => sum + some, 0);
  const isCurl = useSignal(false);
  return (
    <>
      <ThingHead
        kind="job"
        thing={job}
        status={job.status}
        loss={lossOf(count)}
        menu={
          <>
            {mayWrite.value && <Button onClick={() => void duplicate(job)}>Duplicate</Button>}
            <Button onClick={() => (isCurl.value = true)}>Copy as curl</Button>
          </>
        }
      >
        <RunNow job={job} runs={runs} />
        <PauseButton kind="job" thing={job} />
      </ThingHead>
      {isCurl.value && <CurlDialog job={job} onClose={() => (isCurl.value = false)} />}
      <Sentence job={job} note={due.body.value?.notes[0]} />
      <Why jobId={id} zone={job.scheduleType === 'cron' ? job.timezone : undefined} />
      <Managed id={id} />
      <div class="columns">
        <NextDue job={job} due={due} />
        <Called job={job} />
      </div>
      {count !== 0 && (
        <>
          <Rates id={id} zone={zone} />
          <Durations jobId={id} runs={runs} zone={zone} />
          <Days id={id} zone={zone} createdAt={job.createdAt} before={choice.before} />
        </>
      )}
      <History jobId={id} list={history} path={path} choice={choice} zone={zone} totals={totals} />
    </>
  );
}

/** What is lost with a job that has `runCount` runs; null if that is not known yet. */
function lossOf(runCount: number | null): string {
  if (runCount === null) return 'Its runs and receipts are deleted too.';
  if (runCount === 0) return 'It has no runs.';
  const runs = runCount === 1 ? 'Its only run' : `Its ${figures(runCount)} runs`;
  return `${runs} and all receipts are deleted too.`;
}

function RunNow({ job, runs }: { job: Job; runs: readonly RunSummary[] }) {
  const [isAsking, begin] = useBusy();
  const waitSeconds = runWait(job.id);
  const isRunning = runs.some(isUnderWay);
  const isWaiting = isAsking || isRunning || waitSeconds > 0;
  const run = (): void => {
    if (!isWaiting) void begin(() => runNow(job));
  };
  useShortcuts({ r: run });
  return (
    <Button
      class="main"
      aria-disabled={isWaiting}
      title={isRunning ? 'A run of it is under way: a job executes one at a time.' : undefined}
      onClick={run}
    >
      Run now{waitSeconds > 0 && ` in ${waitSeconds} s`}
    </Button>
  );
}

async function duplicate({ id, name }: Job): Promise<void> {
  const answer = await create<JobResponse>(`/jobs/${id}/copy`, { name: copyName(name) });
  if (!answer.ok) return showToast({ text: answer.error, isProblem: true });
  showToast({ text: 'This is the copy. It is paused.' });
  go(`/jobs/${answer.body.job.id}/edit`);
}

function Sentence({ job, note }: { job: Job; note: string | undefined }) {
  const path = `/overview/jobs/${job.id}`;
  const more = useResource<JobSummaryResponse>(path, ofOne('job', job.id)).body.value?.job;
  const { before, error, after } = jobSentence(job, {
    nowMs: now.value,
    note,
    ...more,
  });
  return (
    <>
      <p class="sentence">
        {before}
        {error !== null && <Outside text={error} />}
        {after}
      </p>
      {more?.run !== undefined && <Progress {...more.run} />}
    </>
  );
}
