/** Why a job ran, did not run or ran late, as `jobd explain` says it. A jobd may have no explanations: then nothing is shown. */

import { useState } from 'preact/hooks';
import { ofOne, useResource } from '../client/resource.ts';
import { Outside } from './basic.tsx';
import { browserZone } from '../view/times.ts';
import { Loaded } from './loaded.tsx';

/** What is used of an explanation. */
interface Explanation {
  answer: string;
  todo: string | null;
  facts: { kind: string; sentence: string; isKnown: boolean }[];
}

interface WhyProps {
  jobId: string;
  /** The run that is asked about, whose page says how it ended; the newest due time if there is none. */
  runId?: string;
  /** The zone of the times of the page; that of this browser by default. */
  zone?: string | undefined;
  /** Whether it is shown before somebody asks. */
  isAsked?: boolean;
}

/** The answer, what to do about it, and its facts. Nothing is asked before it is opened. */
export function Why({ jobId, runId, zone = browserZone(), isAsked = false }: WhyProps) {
  const [isOpen, setOpen] = useState(isAsked);
  const ofRun = runId === undefined ? '' : `&runId=${runId}`;
  const path = `/jobs/${jobId}/explanation?timezone=${encodeURIComponent(zone)}${ofRun}`;
  const found = useResource<Explanation>(isOpen ? path : null, ofOne('job', jobId));
  if (found.failure.value?.status === 404) return null;
  return (
    <details class="why" open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>Why?</summary>
      {isOpen && (
        <Loaded from={found}>
          {(body) => <Explained {...body} isOfRun={runId !== undefined} />}
        </Loaded>
      )}
    </details>
  );
}

function Explained({ answer, todo, facts, isOfRun }: Explanation & { isOfRun: boolean }) {
  const isTold = ({ kind }: Explanation['facts'][0]): boolean =>
    isOfRun && (kind === 'run' || kind === 'meaning');
  const means = facts.find(({ kind }) => kind === 'meaning')?.sentence;
  const first = isOfRun ? means && `What it means: ${means}` : answer;
  return (
    <>
      {first !== undefined && (
        <p>
          <Outside text={first} />
        </p>
      )}
      {todo !== null && (
        <p>
          What to do: <Outside text={todo} />
        </p>
      )}
      <ul>
        {facts
          .filter((fact) => !isTold(fact))
          .map(({ sentence, isKnown }) => (
            <li key={sentence} class={isKnown ? undefined : 'quiet'}>
              <Outside text={sentence} />
            </li>
          ))}
      </ul>
    </>
  );
}
