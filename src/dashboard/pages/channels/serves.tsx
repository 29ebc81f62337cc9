/** Which jobs or which monitors a channel serves: all of them, or chosen ones. */

import { Problem } from '../../parts/problem.tsx';
import type { Served } from '../../view/channels/channel-form.ts';
import { Chosen } from './chosen.tsx';

interface ServesProps {
  kind: 'jobs' | 'monitors';
  served: Served;
  error: string | null;
  onChange: (served: Served) => void;
}

/** The choice, and the search for those that are chosen. */
export function Serves({ kind, served, error, onChange }: ServesProps) {
  const { isAll, ids } = served;
  const choice = (word: string, all: boolean) => (
    <label class="option">
      <input
        type="radio"
        name={kind}
        checked={isAll === all}
        onChange={() => onChange({ ids, isAll: all })}
      />{' '}
      {word}
    </label>
  );
  return (
    <div class="stack" role="radiogroup" aria-label={kind === 'jobs' ? 'Jobs' : 'Monitors'}>
      <div class="choice">
        {choice(`All ${kind}`, true)}
        {choice(`Chosen ${kind}`, false)}
      </div>
      {error !== null && <Problem text={error} />}
      {!isAll && ids.length === 0 && <p class="hint">None yet: no alerts of {kind}.</p>}
      {!isAll && (
        <Chosen kind={kind} ids={ids} onChange={(chosen) => onChange({ isAll, ids: chosen })} />
      )}
    </div>
  );
}
