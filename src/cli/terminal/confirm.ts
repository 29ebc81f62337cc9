/** Asks before something is destroyed. */

import { JobdError } from '../../domain/errors.ts';
import { plain } from './text.ts';

/**
 * Resolves if the person agrees. `--yes` agrees beforehand; without it and without a terminal the
 * answer is no. Throws `usage` otherwise.
 */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new JobdError('usage', `${question} Say --yes to do it without being asked.`);
  }
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${plain(question)} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new JobdError('usage', 'nothing was done');
  } finally {
    terminal.close();
  }
}
