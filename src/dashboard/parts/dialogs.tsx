/** Dialogs over the page. The browser keeps the focus in them and gives it back. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { useBusy } from '../client/busy.ts';
import { change } from '../client/session.ts';
import { showToast } from '../client/toasts.ts';
import { go } from '../router.ts';
import { lists, pageOf, type Kind } from '../view/places.ts';
import { Button, Outside, Problem } from './basic.tsx';
import type { Job } from '../../api/jobs/contract.ts';
import { curlCommand } from '../view/curl.ts';
import { Copyable } from './copyable.tsx';

interface DialogProps {
  title: string;
  /** Called when somebody closes it with Escape; without it, Escape does nothing. */
  onClose?: (() => void) | undefined;
  /** Whether it hides the page. */
  isOpaque?: boolean;
  children: ComponentChildren;
}

/** A dialog that is open as long as it is shown. */
export function Dialog({ title, onClose, isOpaque = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opened = dialog.current;
    const before = document.activeElement;
    opened?.showModal();
    return () => {
      opened?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isOpaque ? 'opaque' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A browser lets nobody hold a dialog open against a second Escape; this one comes again.
      onClose={() => {
        if (dialog.current?.isConnected === true) dialog.current.showModal();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** The word on the button: what it does. */
  action: string;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks before something is lost. */
export function Confirm({
  title,
  action,
  isBusy = false,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <p class="actions">
        <Button class="main bad" disabled={isBusy} onClick={onConfirm}>
          {action}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </p>
    </Dialog>
  );
}

interface DeleteProps {
  kind: Kind;
  subject: { id: string; name: string };
  onClose: () => void;
  /** What is lost with it. */
  children: ComponentChildren;
}

/** Asks, deletes, and goes to the list. What the API refuses is said in the dialog. */
export function Delete({ kind, subject: { id, name }, onClose, children }: DeleteProps) {
  const [isBusy, begin] = useBusy();
  const error = useSignal<string | null>(null);
  const remove = async (): Promise<void> => {
    error.value = null;
    const answer = await change('DELETE', pageOf(kind, id));
    if (!answer.ok) {
      error.value = answer.error;
      return;
    }
    showToast({ text: `${name} is deleted.` });
    go(lists[kind].to, { replace: true });
  };
  return (
    <Confirm
      title={`Delete this ${kind}?`}
      action="Delete"
      isBusy={isBusy}
      onConfirm={() => void begin(remove)}
      onClose={onClose}
    >
      <p>
        <b>
          <Outside text={name} />
        </b>
      </p>
      <p>{children} This cannot be undone.</p>
      {error.value !== null && <Problem text={error.value} />}
    </Confirm>
  );
}

interface CurlDialogProps {
  job: Job;
  onClose: () => void;
  /** What else to know about the command. */
  children?: ComponentChildren;
}

/** The dialog with the command. */
export function CurlDialog({ job, onClose, children }: CurlDialogProps) {
  return (
    <Dialog title="The call as curl" onClose={onClose}>
      {job.headerNames.length > 0 && (
        <p class="quiet">Nobody can read the values of the headers: set these variables first.</p>
      )}
      <Copyable text={curlCommand(job)} />
      {children}
      <p class="actions">
        <Button onClick={onClose}>Close</Button>
      </p>
    </Dialog>
  );
}

interface MadeSecretProps {
  title: string;
  secret: string;
  onKept: () => void;
  /** Who takes or checks what with it, in a sentence. */
  children: ComponentChildren;
}

/** A secret that jobd made, and shows once; only its button closes the dialog. */
export function MadeSecret({ title, secret, onKept, children }: MadeSecretProps) {
  return (
    <Dialog title={title}>
      <p>{children} It is shown only this once.</p>
      <Copyable text={secret} />
      <p class="actions">
        <Button class="main" onClick={onKept}>
          I have kept it
        </Button>
      </p>
    </Dialog>
  );
}
