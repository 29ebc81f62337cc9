/** Dialogs over the page. The browser keeps the focus in them and gives it back. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

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
        <button type="button" class="main bad" disabled={isBusy} onClick={onConfirm}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
