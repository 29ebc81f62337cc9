/** Whose jobs these are, and the way out. */

import type { Session } from '../../../api/accounts/session-contract.ts';
import { showControls } from '../../../domain/characters.ts';
import { moveSession, signOut, workspaces } from '../../client/session/session.ts';
import { mayLeave } from '../../router.ts';
import { Outside } from '../outside.tsx';
import { tell } from '../../client/told.ts';

/** The workspace (owners may choose another), what this session may do, and a button to end it. */
export function Who({ session: { workspace, permission } }: { session: Session }) {
  const places = workspaces.value;
  const leave = async (): Promise<void> => {
    if (!mayLeave()) return;
    const problem = await signOut();
    if (problem !== null) tell({ text: problem, isProblem: true });
  };
  const move = async (choice: HTMLSelectElement): Promise<void> => {
    const problem = mayLeave() ? await moveSession(choice.value) : '';
    if (problem === null) return;
    choice.value = workspace.id;
    if (problem !== '') tell({ text: problem, isProblem: true });
  };
  return (
    <div class="who">
      {places.length > 1 ? (
        <select
          aria-label="Workspace"
          value={workspace.id}
          onChange={({ currentTarget }) => void move(currentTarget)}
        >
          {places.map(({ id, name }) => (
            <option key={id} value={id}>
              {showControls(name)}
            </option>
          ))}
        </select>
      ) : (
        <span class="workspace" title="Workspace">
          <Outside text={workspace.name} />
        </span>
      )}
      {permission === 'read' && <span class="tag">only read</span>}
      <button type="button" class="plain" onClick={() => void leave()}>
        Sign out
      </button>
    </div>
  );
}
