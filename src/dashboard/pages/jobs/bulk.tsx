/** Many jobs at once: pause, resume, run, delete. */

import type { Signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { JobActionResults } from '../../../api/jobs/extension-contract.ts';
import type { JobSummary } from '../../../api/overview/contract.ts';
import { useBusy } from '../../client/busy.ts';
import { change } from '../../client/session.ts';
import { showToast } from '../../client/toasts.ts';
import { counted } from '../../../domain/counted.ts';
import { Confirm } from '../../parts/dialogs.tsx';
import { Button, Outside, Problem } from '../../parts/basic.tsx';

interface BulkProps {
  chosen: Signal<ReadonlySet<string> | null>;
  rows: readonly JobSummary[];
}

const done = { pause: 'paused', resume: 'resumed', run: 'queued', delete: 'deleted' } as const;
type Action = keyof typeof done;
const words = { pause: 'Pause', resume: 'Resume', run: 'Run now' } as const;

/** As many as one request takes. */
const mostAtOnce = 100;

/** The bar with what can be done with the chosen jobs. */
export function Bulk({ chosen, rows }: BulkProps) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, begin] = useBusy();
  const [left, setLeft] = useState<{ id: string; error: string }[]>([]);
  const ids = [...(chosen.value ?? [])];
  const nameOf = (id: string): string => rows.find((row) => row.id === id)?.name ?? id;
  const act = async (action: Action): Promise<void> => {
    setAsking(false);
    const refused: { id: string; error: string }[] = [];
    let over = 0;
    for (let from = 0; from < ids.length; from += mostAtOnce) {
      const part = ids.slice(from, from + mostAtOnce);
      const answer = await change<JobActionResults>('POST', '/jobs/actions', { action, ids: part });
      const results = answer.ok
        ? answer.body.results
        : part.map((id) => ({ id, error: answer.error, isOver: false }));
      for (const { id, error } of results) if (error !== null) refused.push({ id, error });
      over += results.filter(({ isOver }) => isOver).length;
    }
    const count = ids.length - refused.length - over;
    const rest = over === 0 ? '' : ` The time of ${over} has passed: nothing is left to ${action}.`;
    if (count + over > 0) showToast({ text: `${counted(count, 'job')} ${done[action]}.${rest}` });
    setLeft(refused);
    chosen.value = new Set(refused.map(({ id }) => id));
  };
  const isNone = ids.length === 0 || isBusy;
  const distinct = new Set(rows.map(({ id }) => id));
  return (
    <section class="bulk" aria-label="Selected jobs">
      <p class="actions">
        <span role="status">{ids.length} selected</span>
        <Button onClick={() => (chosen.value = distinct)}>Select all {distinct.size} shown</Button>
        {(['pause', 'resume', 'run'] as const).map((action) => (
          <Button key={action} disabled={isNone} onClick={() => void begin(() => act(action))}>
            {words[action]}
          </Button>
        ))}
        <Button disabled={isNone} onClick={() => setAsking(true)}>
          Delete
        </Button>
        <Button class="plain" onClick={() => (chosen.value = null)}>
          Done
        </Button>
      </p>
      {left.map(({ id, error }) => (
        <div key={id}>
          <Outside text={nameOf(id)} />: <Problem text={error} />
        </div>
      ))}
      {isAsking && (
        <Confirm
          title={ids.length === 1 ? 'Delete this job?' : `Delete ${ids.length} jobs?`}
          action="Delete"
          onConfirm={() => void begin(() => act('delete'))}
          onClose={() => setAsking(false)}
        >
          <ul>
            {ids.slice(0, 5).map((id) => (
              <li key={id}>
                <Outside text={nameOf(id)} />
              </li>
            ))}
          </ul>
          {ids.length > 5 && <p>and {ids.length - 5} more</p>}
          <p>Their runs and receipts are deleted too. This cannot be undone.</p>
        </Confirm>
      )}
    </section>
  );
}
