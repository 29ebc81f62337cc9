/** What an outage of jobd made jobs miss or broke off: what became of it, and the dialog that calls again what is left. */

import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { TroubleRow } from '../../api/overview/contract.ts';
import { affectedBy, replayAll, type Affected, type Replays } from '../client/replays.ts';
import type { Answer } from '../client/api.ts';
import { counted } from '../../domain/counted.ts';
import { replayCommand } from '../../domain/runs/trouble.ts';
import { timeIn } from '../view/times.ts';
import { now } from '../client/clock.ts';
import { Button, Link, Outside, Problem } from './basic.tsx';
import { Dialog } from './dialogs.tsx';

/** Names that are shown; more are counted. */
const mostNames = 10;

/** What an outage concerned, asked for once; null until it is known. */
function useAffected(row: TroubleRow): Signal<Answer<Affected[]> | null> {
  const answer = useSignal<Answer<Affected[]> | null>(null);
  useEffect(() => {
    void affectedBy(row).then((found) => (answer.value = found));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- it is about one outage
  }, []);
  return answer;
}

function Waiting({ answer }: { answer: Answer<Affected[]> | null }) {
  if (answer === null) return <p class="waiting">Waiting for jobd…</p>;
  return answer.ok ? null : <Problem text={answer.error} />;
}

/** Which jobs an outage concerned, what became of each, and how to call the rest again. */
export function OutageJobs({ row }: { row: TroubleRow }) {
  const { value: answer } = useAffected(row);
  const all = answer?.ok ? answer.body : [];
  const left = all.filter(({ done }) => done === null).length;
  return (
    <>
      <Waiting answer={answer} />
      <ul>
        {all.slice(0, mostNames).map(({ job, runId, status, dueAt, done }) => (
          <li key={runId}>
            <Link to={`/jobs/${job.id}/runs/${runId}`}>
              <Outside text={job.name} />
            </Link>
            : {status}, due {timeIn(dueAt, now.peek())}
            {done !== null && ` (${doneWords[done] ?? done})`}
          </li>
        ))}
      </ul>
      {all.length > mostNames && <p>and {all.length - mostNames} more</p>}
      {answer?.ok && (
        <p>
          {left === 0 ? nothingLeft(all) : `Left to replay: ${left}. In a shell: `}
          {left > 0 && <code>{replayCommand(row)}</code>}
        </p>
      )}
    </>
  );
}

function nothingLeft(affected: readonly Affected[]): string {
  return affected.length === 0
    ? 'Nothing can be replayed: the runs were asked for by hand, or their jobs are deleted.'
    : 'Nothing is left to replay: all have succeeded since, or are called now.';
}

const doneWords: Readonly<Record<string, string>> = {
  success: 'has succeeded since',
  queued: 'waits to be called',
  running: 'is called now',
};

/** Lists what is left, asks, and says what was done while it does it. */
export function ReplayOutage({ row, onClose }: { row: TroubleRow; onClose: () => void }) {
  const { value: answer } = useAffected(row);
  const soFar = useSignal<Replays | null>(null);
  const isOver = useSignal(false);
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { current: controller } = stop;
    return () => controller.abort();
  }, []);
  const affected = answer?.ok ? answer.body : [];
  const all = affected.filter(({ done: since }) => since === null);
  const doubtful = all.filter(({ status }) => status === 'interrupted').length;
  const replay = async (): Promise<void> => {
    soFar.value = { done: 0, refused: [] };
    await replayAll(all, stop.current.signal, (told) => (soFar.value = told));
    isOver.value = true;
  };
  const { done, refused } = soFar.value ?? { done: 0, refused: [] };
  return (
    <Dialog title="Replay what was missed" onClose={onClose}>
      <Waiting answer={answer} />
      {soFar.value === null ? (
        <>
          <ul>
            {all.slice(0, mostNames).map(({ job, runId }) => (
              <li key={runId}>
                <Outside text={job.name} />
              </li>
            ))}
          </ul>
          {all.length > mostNames && <p>and {all.length - mostNames} more</p>}
          {answer?.ok && (
            <p>
              {all.length === 0
                ? nothingLeft(affected)
                : 'Each is called for its due time, of several missed in a row for the last one.'}
              {doubtful > 0 &&
                ` Interrupted: ${doubtful}, of which the target may have done the work.`}
            </p>
          )}
        </>
      ) : (
        <p role="status">
          {isOver.value ? 'Queued' : 'Queueing'} {done} of {counted(all.length, 'replay')}
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
            Replay {counted(all.length, 'due time')}
          </Button>
        )}
        <Button onClick={onClose}>
          {isOver.value ? 'Close' : soFar.value === null ? 'Cancel' : 'Stop'}
        </Button>
      </p>
    </Dialog>
  );
}
