/** How many files the system lets this process open. Node has raised the soft limit to the hard one by then. */

import { readFileSync } from 'node:fs';

/** What macOS and Windows allow at least, where there is nothing to read. */
const assumed = 10_240;

/** Reads the limit; `text` is what Linux says of the limits of a process. */
export function openFilesLimit(text: string | null = limitsText()): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text ?? '')?.[1];
  if (soft === undefined) return assumed;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

function limitsText(): string | null {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return null;
  }
}
