/** A signing secret that jobd made. What it is, is shown once. */

import type { ComponentChildren } from 'preact';
import { Copyable } from '../copyable.tsx';
import { Dialog } from './dialog.tsx';

interface MadeSecretProps {
  secret: string;
  onKept: () => void;
  /** Who checks what with it, in a sentence. */
  children: ComponentChildren;
}

/** The dialog; only its button closes it. */
export function MadeSecret({ secret, onKept, children }: MadeSecretProps) {
  return (
    <Dialog title="Keep the signing secret">
      <p>{children} It is shown only now.</p>
      <Copyable text={secret} />
      <p class="actions">
        <button type="button" class="main" onClick={onKept}>
          I have kept it
        </button>
      </p>
    </Dialog>
  );
}
