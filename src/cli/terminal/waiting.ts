/** What people see and press while a command waits. */

import { environmentVariable } from '../../settings/config.ts';
import { cutTo } from './text.ts';

/** That of whoever catches Ctrl-C now. */
let current: AbortSignal | undefined;

/** Aborts at the first Ctrl-C; a second one ends the process as usual. Disposing removes the handler. */
export function catchInterrupt(): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const onInterrupt = (): void => controller.abort();
  process.once('SIGINT', onInterrupt);
  const outer = current;
  current = controller.signal;
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      current = outer;
      process.off('SIGINT', onInterrupt);
    },
  };
}

/** Aborts at a Ctrl-C that does not end the process, for waits of any depth; undefined if it does. */
export function interruptSignal(): AbortSignal | undefined {
  return current;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/** Shows a spinner with these words, which may change, and the elapsed time, until disposed. Needs a terminal on stderr. */
export function startSpinner(words: () => string): Disposable {
  const { stderr } = process;
  const isDumb = environmentVariable('TERM') === 'dumb';
  if (!stderr.isTTY || isDumb) return { [Symbol.dispose]: () => {} };
  const begun = performance.now();
  const draw = (): void => {
    const elapsedMs = performance.now() - begun;
    const frame = frames[Math.floor(elapsedMs / frameMs) % frames.length] ?? '';
    const line = `${frame} ${words()}, ${Math.floor(elapsedMs / 1_000)} s`;
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
