/** The dialog that replays what an outage of jobd made jobs miss. */

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { TroubleRow } from '../../api/overview/contract.ts';
import type { ListedRun } from '../../api/runs/contract.ts';
import { missedIn, replayAll, type Replays } from '../client/replays.ts';
import { counted } from '../../domain/counted.ts';
import { Button, Outside, Problem } from './basic.tsx';
import { Dialog } from './dialogs.tsx';

/** Names that are shown; more are counted. */
const mostNames = 10;

/** Lists the jobs, asks, and says what was done while it does it. */
export function ReplayOutage({ row, onClose }: { row: TroubleRow; onClose: () => void }) {
  const runs = useSignal<ListedRun[] | null>(null);
  const problem = useSignal<string | null>(null);
  const soFar = useSignal<Replays | null>(null);
  const isOver = useSignal(false);
  const stop = useRef(new AbortController());
  const look = async (): Promise<void> => {
    const answer = await missedIn(row);
    if (answer.ok) runs.value = answer.body;
    else problem.value = answer.error;
  };
  useEffect(() => {
    const { current: controller } = stop;
    void look();
    return () => controller.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the dialog is about one outage
  }, []);
  const all = runs.value ?? [];
  const replay = async (): Promise<void> => {
    soFar.value = { done: 0, refused: [] };
    await replayAll(all, stop.current.signal, (told) => (soFar.value = told));
    isOver.value = true;
  };
  const { done, refused } = soFar.value ?? { done: 0, refused: [] };
  return (
    <Dialog title="Replay what was missed" onClose={onClose}>
      {problem.value !== null && <Problem text={problem.value} />}
      {runs.value === null && problem.value === null && <p class="waiting">Waiting for jobd…</p>}
      {soFar.value === null ? (
        <>
          <ul>
            {all.slice(0, mostNames).map(({ job }) => (
              <li key={job.id}>
                <Outside text={job.name} />
              </li>
            ))}
          </ul>
          {all.length > mostNames && <p>and {all.length - mostNames} more</p>}
          <p>
            Each job is called once, for the last due time that it missed. One that has succeeded
            for it is left alone.
          </p>
        </>
      ) : (
        <p role="status">
          {isOver.value ? 'Replayed' : 'Replaying'} {done} of {counted(all.length, 'job')}
          {refused.length > 0 && `, ${refused.length} refused`}.
        </p>
      )}
      {refused.slice(0, mostNames).map(({ name, error }) => (
        <div key={name}>
          <Outside text={name} />: <Problem text={error} isPolite />
        </div>
      ))}
      <p class="actions">
        {soFar.value === null && (
          <Button class="main" disabled={all.length === 0} onClick={() => void replay()}>
            Replay {counted(all.length, 'job')}
          </Button>
        )}
        <Button onClick={onClose}>
          {isOver.value ? 'Close' : soFar.value === null ? 'Cancel' : 'Stop'}
        </Button>
      </p>
    </Dialog>
  );
}
