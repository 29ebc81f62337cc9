/** The jobs and monitors that a channel serves, by name. */

import { useState } from 'preact/hooks';
import type { JobResponse } from '../../../api/jobs/contract.ts';
import type { MonitorResponse } from '../../../api/monitors/contract.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';

/** How many names are shown at first: each is a request. */
const mostShown = 10;

/** All of them as links; null for all of the workspace. */
export function Subjects({ ids }: { ids: readonly string[] | null }) {
  const [isWhole, setWhole] = useState(false);
  if (ids === null) return <>all jobs and monitors</>;
  if (ids.length === 0) return <>nothing</>;
  const shown = isWhole ? ids : ids.slice(0, mostShown);
  return (
    <>
      <ul class="subjects">
        {shown.map((id) => (
          <li key={id}>
            <Subject id={id} />
          </li>
        ))}
      </ul>
      {shown.length < ids.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {ids.length}
        </button>
      )}
    </>
  );
}

function Subject({ id }: { id: string }) {
  const { name, to } = useSubject(id);
  if (name === null) return <span class="quiet">{to === null ? 'deleted' : '…'}</span>;
  return to === null ? null : (
    <Link to={to}>
      <Outside text={name} />
    </Link>
  );
}

/** The name of a job or monitor; without an address there is none with this id. */
export function useSubject(id: string): { name: string | null; to: string | null } {
  const job = useResource<JobResponse>(`/jobs/${id}`, ofNothing);
  const isNoJob = job.failure.value?.status === 404;
  const monitor = useResource<MonitorResponse>(isNoJob ? `/monitors/${id}` : null, ofNothing);
  if (job.body.value !== null) return { name: job.body.value.job.name, to: `/jobs/${id}` };
  const to = `/monitors/${id}`;
  if (monitor.body.value !== null) return { name: monitor.body.value.monitor.name, to };
  return { name: null, to: monitor.failure.value?.status === 404 ? null : to };
}
