/** Texts to copy. On plain http off this machine browsers have no clipboard API, so there are two more ways. */

import { Button } from './basic.tsx';
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { visibleLines } from '../view/body.ts';

const words = { copied: 'Copied', selected: 'Selected: press Ctrl+C' } satisfies Record<
  Copied,
  string
>;

/** A command, a URL or the like, with a button that copies it. */
export function Copyable({ text }: { text: string }) {
  const shown = useRef<HTMLElement>(null);
  return (
    <div class="copyable">
      <code ref={shown}>{visibleLines(text)}</code>
      <CopyButton of={shown} text={text} />
    </div>
  );
}

interface CopyButtonProps {
  /** What shows it. */
  of: RefObject<HTMLElement | null>;
  /** The text, if it is another than the one that is shown. */
  text?: string;
}

/** A button that copies a text, and says what came of it. */
export function CopyButton({ of, text }: CopyButtonProps) {
  const [said, setSaid] = useState('Copy');
  const copy = async (): Promise<void> => {
    if (of.current !== null) setSaid(words[await copyText(of.current, text)]);
  };
  return (
    <Button aria-live="polite" onClick={() => void copy()} onBlur={() => setSaid('Copy')}>
      {said}
    </Button>
  );
}

/** What happened: it was copied, or it is selected and the person copies it. */
export type Copied = 'copied' | 'selected';

/** Copies the text of an element, or the text that it stands for. */
async function copyText(element: Element, text = element.textContent ?? ''): Promise<Copied> {
  // Missing where the page has no secure context, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  try {
    if (clipboard !== undefined) {
      await clipboard.writeText(text);
      return 'copied';
    }
  } catch {
    // Not permitted: the older way may work.
  }
  getSelection()?.selectAllChildren(element);
  const give = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  addEventListener('copy', give);
  // oxlint-disable-next-line typescript/no-deprecated -- the only way without a secure context
  const isCopied = document.execCommand('copy');
  removeEventListener('copy', give);
  return isCopied ? 'copied' : 'selected';
}
