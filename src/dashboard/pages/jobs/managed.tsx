/** That a job is defined in a file. */

import type { JobSummaryResponse } from '../../../api/overview/contract.ts';
import { ofOne, useResource } from '../../client/resource.ts';
import { Note, Outside } from '../../parts/basic.tsx';

/** The note; nothing for a job that is not. Only lists say whether it is. */
export function Managed({ id }: { id: string }) {
  const found = useResource<JobSummaryResponse>(`/overview/jobs/${id}`, ofOne('job', id));
  const key = found.body.value?.job.key ?? null;
  if (key === null) return null;
  return (
    <Note>
      This job is managed by a file (key <Outside text={key} />
      ): <code>jobd apply</code> puts back what you change here.
    </Note>
  );
}
