/** A sign on stderr that something is awaited, for people. */

import { isDumbTerminal } from '../../config.ts';
import { cutTo } from './text.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/** Turns beside the words until it is disposed of; on a stderr that is no terminal, nothing is shown. */
export function startSpinner(words: string): Disposable {
  const { stderr } = process;
  if (!stderr.isTTY || isDumbTerminal()) return { [Symbol.dispose]: () => {} };
  const begun = performance.now();
  const draw = (): void => {
    const elapsedMs = performance.now() - begun;
    const frame = frames[Math.floor(elapsedMs / frameMs) % frames.length] ?? '';
    const line = `${frame} ${words}, ${Math.floor(elapsedMs / 1_000)} s`;
    stderr.write(`\r${cutTo(line, (stderr.columns || 80) - 1)}\u001b[K`);
  };
  draw();
  const timer = setInterval(draw, frameMs);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      stderr.write('\r\u001b[K');
    },
  };
}
