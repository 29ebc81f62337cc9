/** All jobs: trouble first, then the rest in the order that was asked for. */

import { useSignal, type Signal } from '@preact/signals';
import type { JobSummary } from '../../../api/overview/contract.ts';
import { isUncalled } from '../../../domain/jobs/spent.ts';
import { runNow } from '../../client/actions.ts';
import { now } from '../../client/clock.ts';
import { mayWrite } from '../../client/session.ts';
import { Ago, Button, Outside } from '../../parts/basic.tsx';
import { useOverview } from '../../parts/frame.tsx';
import { Empty, ListPage } from '../../parts/list-page.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Due, Past, RowPause, ThingRow } from '../../parts/row.tsx';
import { query, root, setQuery } from '../../router.ts';
import { span } from '../../view/figures.ts';
import { flapping } from '../../view/strip.ts';
import { Bulk } from './bulk.tsx';

const orders = { newest: 'newest first', due: 'next due first', name: 'by name' } as const;

/** The ids that are chosen; null while nobody chooses. */
type Chosen = Signal<ReadonlySet<string> | null>;

/** The page. */
export function JobsPage() {
  const counts = useOverview();
  const status = query.value.get('status');
  const order = query.value.get('order') ?? 'newest';
  const hasOrder = status !== 'running' && status !== 'missed';
  const chosen: Chosen = useSignal(null);
  return (
    <ListPage<JobSummary>
      kind="job"
      from="/overview/jobs"
      asked={hasOrder && order !== 'newest' ? { order } : {}}
      search={['Search names and URLs', 200]}
      states={['down', 'running', 'up', 'paused', 'new']}
      counts={counts?.jobs}
      isIn={(job, state) => state === job.status || (!job.paused && state === job.health)}
      moreFilters={[missed(counts?.lastDay)]}
      trouble={['down']}
      since={({ failingSince }) => failingSince ?? ''}
      others={`Others, ${orders[order as keyof typeof orders] ?? ''}`}
      actions={
        <Button
          aria-pressed={chosen.value !== null}
          onClick={() => (chosen.value = chosen.value === null ? new Set() : null)}
        >
          Select
        </Button>
      }
      tools={
        <select
          aria-label="Order"
          value={order}
          disabled={!hasOrder}
          onChange={({ currentTarget }) => setQuery({ order: currentTarget.value })}
        >
          {Object.entries(orders).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      }
      renderAbove={(rows) => chosen.value !== null && <Bulk chosen={chosen} rows={rows} />}
      empty={<NoJobs />}
    >
      {(job) => <JobRow key={job.id} job={job} chosen={chosen} />}
    </ListPage>
  );
}

/** A filter by runs, not by the state of jobs. */
function missed(lastDay: NonNullable<ReturnType<typeof useOverview>>['lastDay'] | undefined) {
  return {
    value: 'missed',
    word: 'missed in 24 h',
    count: lastDay?.missed,
    isPartial: lastDay?.isPartial ?? false,
    glyph: 'missed',
    none: 'No job missed a due time in the last 24 hours.',
  } as const;
}

function NoJobs() {
  const login = `sudo jobd key create --name laptop | jobd login --url ${location.origin}${root.slice(0, -1)}`;
  const create =
    "jobd jobs create --name backup --url https://example.com/backup --cron '30 2 * * *'";
  return (
    <Empty
      kind="job"
      lines={[
        [
          'You can paste a curl command or a line of a crontab there. For the command line, first give it a key, on the server:',
          login,
        ],
        ['Then create a job:', create],
      ]}
    >
      <p>A job is a URL that jobd calls on a schedule.</p>
    </Empty>
  );
}

function JobRow({ job, chosen }: { job: JobSummary; chosen: Chosen }) {
  const { name, status, paused, recent, lastRunAt, lastDurationMs, run } = job;
  return (
    <ThingRow
      kind="job"
      thing={job}
      state={status}
      sign={status === 'running' ? 'running' : paused ? 'paused' : job.health}
      choice={chosen.value !== null && <Choice job={job} chosen={chosen} />}
      below={
        <>
          <HowItIs job={job} />
          {run !== undefined && <Progress {...run} />}
        </>
      }
      when={
        <>
          <span class="line">
            {job.after === undefined ? (
              (job.runAt && 'Once') || job.scheduleWords
            ) : (
              <>
                After <Outside text={job.afterName ?? 'a job that is gone'} />
              </>
            )}
          </span>
          <NextDue job={job} />
        </>
      }
      past={
        <Past recent={recent} lastDurationMs={run === undefined ? lastDurationMs : null}>
          {run === undefined ? lastRunAt !== null && <Ago at={lastRunAt} /> : runningWords(run)}
        </Past>
      }
      acts={
        mayWrite.value && (
          <>
            <Button
              class="plain"
              data-key="r"
              title="Run now"
              aria-label={`Run ${name} now`}
              onClick={() => void runNow(job)}
            >
              <svg viewBox="0 0 16 16" aria-hidden="true">
                <path d="M4 2.5v11l9-5.5z" />
              </svg>
            </Button>
            <RowPause kind="job" thing={job} />
          </>
        )
      }
    />
  );
}

/** Why it is down and for how long, or that it keeps changing; else what it calls. */
function HowItIs({ job }: { job: JobSummary }) {
  const { method, url, paused, recent, downReason, failingSince, failures } = job;
  const flaps = flapping(recent);
  if (downReason !== null) {
    return (
      <p class="reason">
        {paused && 'paused while down: '}
        <Outside text={downReason} />{' '}
        {failingSince !== null && (
          <span class="quiet">
            for {span(now.value - Date.parse(failingSince))}
            {failures !== 1 && `, ${failures} runs`}
            {flaps !== null && ', flapping'}
          </span>
        )}
      </p>
    );
  }
  if (flaps !== null) {
    return (
      <p class="overdue">
        flapping: {flaps.failed} of the last {flaps.of} runs failed
      </p>
    );
  }
  return (
    <p class="quiet line">
      {method} <Outside text={url} />
    </p>
  );
}

function runningWords({ startedAt }: NonNullable<JobSummary['run']>): string {
  return startedAt === null ? 'running' : `running for ${span(now.value - Date.parse(startedAt))}`;
}

function NextDue({ job }: { job: JobSummary }) {
  const { nextRunAt, paused, after } = job;
  if (nextRunAt === null && after !== undefined && !paused) return null;
  const ended = isUncalled(job) ? 'not called' : 'no due time';
  const none = paused ? 'paused' : ended;
  return <span class="quiet">{nextRunAt === null ? none : <Due at={nextRunAt} {...job} />}</span>;
}

function Choice({ job: { id, name }, chosen }: { job: JobSummary; chosen: Chosen }) {
  const toggle = (): void => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
      checked={chosen.value?.has(id) === true}
      onChange={toggle}
    />
  );
}
