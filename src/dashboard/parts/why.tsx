/** Why a job ran, did not run or ran late, as `jobd explain` says it. A jobd may have no explanations: then nothing is shown. */

import { useState } from 'preact/hooks';
import { ofOne, useResource } from '../client/resource.ts';
import { Outside } from './basic.tsx';
import { Loaded } from './loaded.tsx';

/** What is used of an explanation. */
interface Explanation {
  answer: string;
  todo: string | null;
  facts: { sentence: string; isKnown: boolean }[];
}

interface WhyProps {
  jobId: string;
  /** The run that is asked about; the newest due time if there is none. */
  runId?: string;
  /** Whether it is shown before somebody asks. */
  isAsked?: boolean;
}

/** The answer, what to do about it, and its facts. Nothing is asked before it is opened. */
export function Why({ jobId, runId, isAsked = false }: WhyProps) {
  const [isOpen, setOpen] = useState(isAsked);
  const path = `/jobs/${jobId}/explanation${runId === undefined ? '' : `?runId=${runId}`}`;
  const found = useResource<Explanation>(isOpen ? path : null, ofOne('job', jobId));
  if (found.failure.value?.status === 404) return null;
  return (
    <details class="why" open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>Why?</summary>
      {isOpen && <Loaded from={found}>{(body) => <Explained {...body} />}</Loaded>}
    </details>
  );
}

function Explained({ answer, todo, facts }: Explanation) {
  return (
    <>
      <p>
        <Outside text={answer} />
      </p>
      {todo !== null && (
        <p>
          What to do: <Outside text={todo} />
        </p>
      )}
      <ul>
        {facts.map(({ sentence, isKnown }) => (
          <li key={sentence} class={isKnown ? undefined : 'quiet'}>
            <Outside text={sentence} />
          </li>
        ))}
      </ul>
    </>
  );
}
