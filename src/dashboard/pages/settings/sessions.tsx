/** Browsers that are signed in: the owner sees those of the workspace, others those of their key. */

import { useState } from 'preact/hooks';
import type { ListedSession, Session } from '../../../api/accounts/session-contract.ts';
import { usePages } from '../../client/pages.ts';
import { ofNothing } from '../../client/resource.ts';
import { change, mayWrite, signOut } from '../../client/session.ts';
import { showToast } from '../../client/toasts.ts';
import { Confirm } from '../../parts/dialogs.tsx';
import { Button, Outside, Ago, At } from '../../parts/basic.tsx';
import { RowList } from '../../parts/rows.tsx';

/** The section. */
export function Sessions({ session }: { session: Session }) {
  const list = usePages<ListedSession>('/sessions?limit=50', 'sessions', ofNothing, () => false);
  const [isLeaving, setLeaving] = useState(false);
  const leave = async (): Promise<void> => {
    const problem = await signOut();
    if (problem !== null) showToast({ text: problem, isProblem: true });
    setLeaving(false);
  };
  const end = async ({ id, name }: ListedSession): Promise<void> => {
    const answer = await change('DELETE', `/sessions/${id}`);
    const text = answer.ok ? `The session of ${name} has ended.` : answer.error;
    showToast({ text, isProblem: !answer.ok });
    await list.reload();
  };
  return (
    <>
      <p class="quiet">
        {session.isOwner
          ? 'Browsers that are signed in to this workspace.'
          : 'Browsers that are signed in with the same key.'}
      </p>
      <RowList list={list} of="sessions" label="Sessions" none="There is no session.">
        {(row) => (
          <SessionRow
            key={row.id}
            row={row}
            onEnd={() => (row.isCurrent ? setLeaving(true) : void end(row))}
          />
        )}
      </RowList>
      {isLeaving && (
        <Confirm
          title="End this session?"
          action="End and sign out"
          onConfirm={() => void leave()}
          onClose={() => setLeaving(false)}
        >
          <p>It is the one of this browser: you are signed out here. Jobs go on.</p>
        </Confirm>
      )}
    </>
  );
}

function SessionRow({ row, onEnd }: { row: ListedSession; onEnd: () => void }) {
  const { name, permission, isOwner, isCurrent, createdAt, lastSeenAt, expiresAt } = row;
  return (
    <li class="row">
      <div class="what">
        <span class="name">
          <Outside text={name} />
        </span>{' '}
        <span class="tag">
          {isOwner ? 'owner' : permission === 'read' ? 'only read' : 'read and write'}
        </span>{' '}
        {isCurrent && <span class="tag this">this browser</span>}
        <p class="quiet">
          signed in <At at={createdAt} /> · last used <Ago at={lastSeenAt} /> · ends by{' '}
          <At at={expiresAt} />
        </p>
      </div>
      {(isCurrent || mayWrite.value) && (
        <Button
          aria-label={isCurrent ? 'End this session' : `End the session of ${name}`}
          onClick={onEnd}
        >
          End
        </Button>
      )}
    </li>
  );
}
