/** How many files this process may open. Node has raised the soft limit to the hard one at its start. */

import { readFileSync } from 'node:fs';
import { ifPossible } from '../domain/errors.ts';

/** The least that macOS and Windows allow; there is nothing to read there. */
const assumed = 10_240;

/** Reads the limit. `text` is what Linux shows in `/proc/self/limits`. */
export function openFilesLimit(text: string | null = limitsText()): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text ?? '')?.[1];
  if (soft === undefined) return assumed;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

function limitsText(): string | null {
  return ifPossible(() => readFileSync('/proc/self/limits', 'utf8')) ?? null;
}
