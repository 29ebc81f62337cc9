/** Texts to copy. */

import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { visibleLines } from '../view/body.ts';
import { copyText } from './clipboard.ts';
import type { Copied } from './clipboard.ts';

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
    <button
      type="button"
      aria-live="polite"
      onClick={() => void copy()}
      onBlur={() => setSaid('Copy')}
    >
      {said}
    </button>
  );
}
