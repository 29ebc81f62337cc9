/** The jobs and monitors that a channel serves, by name. */

import { useState } from 'preact/hooks';
import type { JobResponse } from '../../../api/jobs/contract.ts';
import type { MonitorResponse } from '../../../api/monitors/contract.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';

/** How many names are shown at first: each is a request. */
const mostShown = 10;

interface SubjectsProps {
  kind: 'jobs' | 'monitors';
  /** Null for all of the workspace. */
  ids: readonly string[] | null;
}

/** All of them as links. */
export function Subjects({ kind, ids }: SubjectsProps) {
  const [isWhole, setWhole] = useState(false);
  if (ids === null) return <>all</>;
  if (ids.length === 0) return <>none</>;
  const shown = isWhole ? ids : ids.slice(0, mostShown);
  return (
    <>
      <ul class="subjects">
        {shown.map((id) => (
          <li key={id}>
            <Subject kind={kind} id={id} />
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

function Subject({ kind, id }: Pick<SubjectsProps, 'kind'> & { id: string }) {
  const { name, to } = useSubject(kind, id);
  if (name === null) return <span class="quiet">{to === null ? 'deleted' : '…'}</span>;
  return to === null ? null : (
    <Link to={to}>
      <Outside text={name} />
    </Link>
  );
}

/** The name of a job or monitor; without an address there is none with this id. */
export function useSubject(
  kind: SubjectsProps['kind'],
  id: string,
): { name: string | null; to: string | null } {
  const found = useResource<JobResponse | MonitorResponse>(`/${kind}/${id}`, ofNothing);
  const body = found.body.value;
  if (body === null) {
    return { name: null, to: found.failure.value?.status === 404 ? null : `/${kind}/${id}` };
  }
  const { name } = 'job' in body ? body.job : body.monitor;
  return { name, to: `/${kind}/${id}` };
}
