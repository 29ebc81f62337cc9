/** The keys of scripts and command lines. Only the owner sees them. */

import { useState } from 'preact/hooks';
import type { Key } from '../../../api/accounts/key-contract.ts';
import type { Session } from '../../../api/accounts/session-contract.ts';
import { useBusy } from '../../client/busy.ts';
import { now } from '../../client/clock.ts';
import { usePages, type Pages } from '../../client/pages.ts';
import { ofNothing } from '../../client/resource.ts';
import { change, mayWrite } from '../../client/session.ts';
import { showToast } from '../../client/toasts.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Confirm } from '../../parts/dialogs.tsx';
import { Button, Outside, Ago, At } from '../../parts/basic.tsx';
import { keyState } from '../../view/settings.ts';
import { NewKey } from './new-key.tsx';
import { RowList } from '../../parts/rows.tsx';

/** The section. */
export function Keys({ session }: { session: Session }) {
  if (session.isOwner) return <OwnersKeys />;
  return (
    <>
      <p>
        Keys are managed by the owner of this jobd. Run this on the server: its link signs the owner
        in.
      </p>
      <Copyable text="sudo jobd open" />
    </>
  );
}

function OwnersKeys() {
  const list = usePages<Key>('/keys?limit=50', 'keys', ofNothing, () => false);
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  return (
    <>
      <p class="quiet">
        A key signs in scripts, the command line and people to this workspace alone.
      </p>
      <RowList list={list} of="keys" label="Keys" none="There is no key yet.">
        {(key) => <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />}
      </RowList>
      {mayWrite.value && (
        <p class="actions">
          <Button onClick={() => setMaking(true)}>New key</Button>
        </p>
      )}
      {isMaking && (
        <NewKey
          onMade={() => void list.reload()}
          onClose={() => {
            setMaking(false);
          }}
        />
      )}
      {revoking !== null && (
        <Revoke apiKey={revoking} list={list} onClose={() => setRevoking(null)} />
      )}
    </>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: Key; onRevoke: () => void }) {
  const { name, permission, createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey;
  const state = keyState(apiKey, now.value);
  return (
    <li class={state === 'valid' ? 'row' : 'row ended'}>
      <div class="what">
        <span class="name">
          <Outside text={name} />
        </span>{' '}
        <span class="tag">{permission === 'read' ? 'only read' : 'read and write'}</span>
        <p class="quiet">
          made <At at={createdAt} /> ·{' '}
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Ago at={lastUsedAt} />
            </>
          )}{' '}
          ·{' '}
          {revokedAt !== null ? (
            <>
              revoked <At at={revokedAt} />
            </>
          ) : expiresAt === null ? (
            'never expires'
          ) : (
            <>
              {state === 'expired' ? 'expired' : 'expires'} <At at={expiresAt} />
            </>
          )}
        </p>
      </div>
      {state === 'valid' && mayWrite.value && (
        <Button aria-label={`Revoke ${name}`} onClick={onRevoke}>
          Revoke
        </Button>
      )}
    </li>
  );
}

interface RevokeProps {
  apiKey: Key;
  list: Pages<Key>;
  onClose: () => void;
}

function Revoke({ apiKey: { id, name }, list, onClose }: RevokeProps) {
  const [isBusy, begin] = useBusy();
  const revoke = async (): Promise<void> => {
    const answer = await change('DELETE', `/keys/${id}`);
    showToast(
      answer.ok ? { text: `${name} is revoked.` } : { text: answer.error, isProblem: true },
    );
    await list.reload();
    onClose();
  };
  return (
    <Confirm
      title="Revoke this key?"
      action="Revoke"
      isBusy={isBusy}
      onConfirm={() => void begin(revoke)}
      onClose={onClose}
    >
      <p>
        <b>
          <Outside text={name} />
        </b>{' '}
        stops working at once: scripts and command lines that use it are refused. Browsers that
        signed in with it are signed out.
      </p>
      <p>This cannot be undone. Jobs go on.</p>
    </Confirm>
  );
}
