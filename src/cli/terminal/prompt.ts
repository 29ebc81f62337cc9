/** Questions to the person at the terminal. */

import { keyPattern } from '../../domain/accounts/key.ts';
import { JobdError } from '../../domain/errors.ts';
import { declinedExitCode, interruptedExitCode } from '../exit-codes.ts';
import { plain } from './text.ts';

/** Asks before something is destroyed; `yes` (`--yes`) skips the question. Throws `Cancelled` unless the person agrees, and `usage` where nobody can. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new JobdError('usage', `${question} Use --yes to skip this question.`);
  }
  const { createInterface } = await import('node:readline');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  let hasAnswer = false;
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      terminal.once('SIGINT', () => reject(new Cancelled()));
      // Ctrl-D, or the terminal is gone.
      terminal.once('close', () => resolve(''));
      terminal.question(`${plain(question)} [y/N] `, (given) => {
        hasAnswer = true;
        resolve(given);
      });
    });
    if (!/^y(es)?$/i.test(answer.trim())) throw new Cancelled(declinedExitCode);
  } finally {
    if (!hasAnswer) process.stderr.write('\n');
    terminal.close();
  }
}

/** A question was answered with no, or Ctrl-C. */
export class Cancelled extends Error {
  readonly exitCode: number;

  constructor(exitCode = interruptedExitCode) {
    super('cancelled, nothing was changed');
    this.exitCode = exitCode;
  }
}

/**
 * Reads an API key from standard input; on a terminal it asks, and does not show what is typed. Keys are never arguments:
 * every user of a machine can read those. Throws `usage` for anything that is no key.
 */
export async function askKey(): Promise<string> {
  const given = process.stdin.isTTY
    ? await askHidden('API key: ')
    : await (await import('node:stream/consumers')).text(process.stdin);
  const key = given.trim();
  if (keyPattern.test(key)) return key;
  throw new JobdError(
    'usage',
    'standard input holds no API key: expected cp_ and 64 hexadecimal digits',
  );
}

async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question: who answers it at once is not to meet a terminal that shows what is typed.
  stdin.setRawMode(true).setEncoding('utf8');
  stderr.write(question);
  let line = '';
  try {
    for await (const typed of stdin as AsyncIterable<string>) {
      for (const character of typed) {
        if (character === '\r' || character === '\n' || character === '\u0004') return line;
        if (character === '\u0003') throw new Cancelled();
        line = character === '\u007f' || character === '\b' ? line.slice(0, -1) : line + character;
      }
    }
    return line;
  } finally {
    stdin.setRawMode(false).pause();
    stderr.write('\n');
  }
}
