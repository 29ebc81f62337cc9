/** Keys as people give them: never as an argument, which everybody on a machine can read, and never shown. */

import { text } from 'node:stream/consumers';
import { JobdError } from '../../domain/errors.ts';
import { keyPattern } from '../../domain/accounts/key.ts';

/** The key from standard input; on a terminal it is asked for, and not shown. Throws `usage` for anything else. */
export async function askKey(): Promise<string> {
  const given = process.stdin.isTTY ? await askHidden('API key: ') : await text(process.stdin);
  const key = given.trim();
  if (keyPattern.test(key)) return key;
  throw new JobdError('usage', 'a key is cp_ and 64 hexadecimal digits, on standard input');
}

/** One line, without showing it. Throws `usage` at Ctrl-C. */
async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true).setEncoding('utf8');
  let line = '';
  try {
    for await (const typed of stdin as AsyncIterable<string>) {
      for (const character of typed) {
        if (character === '\r' || character === '\n' || character === '\u0004') return line;
        if (character === '\u0003') throw new JobdError('usage', 'nothing was done');
        line = character === '\u007f' || character === '\b' ? line.slice(0, -1) : line + character;
      }
    }
    return line;
  } finally {
    stdin.setRawMode(false).pause();
    stderr.write('\n');
  }
}
