/** What was no success: runs of all jobs that failed, were missed or interrupted, newest first. */

import type { ListedRun } from '../../api/runs/contract.ts';
import { usePages } from '../client/pages.ts';
import type { Concern } from '../client/resource.ts';
import { Glyph, Link, Outside } from '../parts/basic.tsx';
import { Heading } from '../parts/heading.tsx';
import { DayList } from '../parts/rows.tsx';
import { shortError } from '../view/run.ts';
import { absolute, clock } from '../view/times.ts';

/** A run that succeeds changes nothing here; a job may get another name, or be deleted. */
const ofTrouble: Concern = ({ jobs, runs }) =>
  jobs.length > 0 || runs.some(({ status }) => isTrouble(status));

const isTrouble = (status: string): boolean =>
  status === 'failed' || status === 'missed' || status === 'interrupted';

const ofRow = ({ id, job }: ListedRun, change: Parameters<Concern>[0]): boolean =>
  change.jobs.includes(job.id) || change.runs.some((run) => run.id === id);

/** The page. */
export function TroublePage() {
  const list = usePages<ListedRun>(
    '/runs?status=failed,interrupted,missed&limit=50',
    'runs',
    ofTrouble,
    ofRow,
  );
  return (
    <>
      <div class="head">
        <Heading title="Trouble" />
      </div>
      <DayList
        list={list}
        of="trouble"
        none="No run failed, was missed or interrupted, of all runs that are kept."
        timeOf={({ scheduledFor }) => scheduledFor}
      >
        {(run) => <TroubleRow key={run.id} run={run} />}
      </DayList>
    </>
  );
}

function TroubleRow({ run }: { run: ListedRun }) {
  const { id, job, status, scheduledFor } = run;
  return (
    <li class="row trouble">
      <time class="figure" dateTime={scheduledFor} title={absolute(scheduledFor)}>
        {clock(scheduledFor, undefined, { withSeconds: true })}
      </time>
      <span class="state">
        <Glyph status={status} />
        <span class="hidden">{status}</span>
      </span>
      <Link to={`/jobs/${job.id}`} class="of">
        <Outside text={job.name} />
      </Link>
      <Link to={`/jobs/${job.id}/runs/${id}`} class="name why">
        <Outside text={shortError(run)} />
      </Link>
    </li>
  );
}
