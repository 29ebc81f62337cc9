/** The list of shortcuts. */

import { isHelpShown } from '../../client/shortcuts.ts';
import { Dialog } from '../dialogs/dialog.tsx';

const shortcuts = [
  ['/', 'search'],
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['r', 'run the job now'],
  ['p', 'pause or resume the job'],
  ['e', 'edit the job'],
  ['n', 'new job or monitor'],
  ['g j', 'jobs'],
  ['g m', 'monitors'],
  ['g c', 'channels'],
  ['g t', 'trouble'],
  ['g a', 'audit'],
  ['g s', 'settings'],
  ['?', 'this list'],
] as const;

/** The list, while somebody reads it. */
export function Help() {
  if (!isHelpShown.value) return null;
  const close = (): void => {
    isHelpShown.value = false;
  };
  return (
    <Dialog title="Keyboard" onClose={close}>
      <dl class="keys">
        {shortcuts.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Settings switches them off.</p>
      <p class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
