/** A command to copy. */

import { useRef, useState } from 'preact/hooks';
import { visibleLines } from '../view/body.ts';
import { copyText } from './clipboard.ts';
import type { Copied } from './clipboard.ts';

const words = { copied: 'Copied', selected: 'Selected: press Ctrl+C' } satisfies Record<
  Copied,
  string
>;

/** The command with a button that copies it. */
export function Copyable({ text }: { text: string }) {
  const command = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('Copy');
  const copy = async (): Promise<void> => {
    if (command.current !== null) setSaid(words[await copyText(command.current, text)]);
  };
  return (
    <div class="copyable">
      <code ref={command}>{visibleLines(text)}</code>
      <button
        type="button"
        aria-live="polite"
        onClick={() => void copy()}
        onBlur={() => setSaid('Copy')}
      >
        {said}
      </button>
    </div>
  );
}
