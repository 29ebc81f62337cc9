/** The jobs and monitors that a channel serves, by name. */

import { useState } from 'preact/hooks';
import { ofNothing, useResource } from '../../client/resource.ts';
import { Button, Link, Outside } from '../../parts/basic.tsx';
import { pageOf } from '../../view/places.ts';

/** How many names are shown at first: each is a request. */
const mostShown = 10;

interface SubjectsProps {
  kind: 'job' | 'monitor';
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
      <ul>
        {shown.map((id) => (
          <li key={id}>
            <Subject kind={kind} id={id} />
          </li>
        ))}
      </ul>
      {shown.length < ids.length && (
        <Button onClick={() => setWhole(true)}>Show all {ids.length}</Button>
      )}
    </>
  );
}

function Subject({ kind, id }: Pick<SubjectsProps, 'kind'> & { id: string }) {
  const { name, isThere } = useSubject(kind, id);
  if (!isThere) return <span class="quiet">{name}</span>;
  return (
    <Link to={pageOf(kind, id)}>
      <Outside text={name} />
    </Link>
  );
}

/** The name of a job or monitor, or what there is to say while it is not known, and if there is none with this id. */
export function useSubject(
  kind: SubjectsProps['kind'],
  id: string,
): { name: string; isThere: boolean } {
  const found = useResource<Record<string, { name: string }>>(pageOf(kind, id), ofNothing);
  const name = found.body.value?.[kind]?.name;
  if (name !== undefined) return { name, isThere: true };
  return { name: found.failure.value?.status === 404 ? 'deleted' : '…', isThere: false };
}
