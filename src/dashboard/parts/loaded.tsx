/** What a page shows before its answer has come, and when none can be had. */

import type { ComponentChildren } from 'preact';
import type { Resource } from '../client/resource.ts';
import { Problem } from './problem.tsx';

interface LoadedProps<T> {
  from: Resource<T>;
  /** What there is none of, for an address that names nothing: `There is no such job.` */
  missing?: ComponentChildren;
  children: (body: T) => ComponentChildren;
}

/** Shows the answer, also an old one: the bar on top says since when it is stale. */
export function Loaded<T>({ from, missing, children }: LoadedProps<T>) {
  const { body, failure } = from;
  if (failure.value?.status === 404 && missing !== undefined) return <>{missing}</>;
  if (body.value !== null) return <>{children(body.value)}</>;
  if (failure.value === null) return <p class="waiting">Waiting for jobd…</p>;
  return (
    <div class="stack">
      <Problem text={failure.value.error} />
      <p class="actions">
        <button type="button" onClick={() => void from.reload()}>
          Try again
        </button>
      </p>
    </div>
  );
}
