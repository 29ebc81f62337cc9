/** `jobd verify`: checks receipts offline, against an archived key. */

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { invalidInput } from '../../domain/errors.ts';
import type { Flags } from '../../settings/config.ts';
import type { Context } from '../context.ts';
import { printJson } from '../terminal/output.ts';

const about = `
<receipt> is a downloaded receipt, a directory of receipts, a file with one
receipt per line (NDJSON), or - for standard input. <key> is the public key that
you fetched over HTTPS and archived: the answer of /api/v1/receipts/key or
/api/v1/receipts/keys, a JSON Web Key, PEM, or a directory of such files.

The exit code is 0 if all receipts are valid, 1 if one is not, and 2 if nothing
can be checked.

Examples:
  jobd verify receipt.json key.json
  jobd verify receipts/ keys.json --json`;

const fetchKeys =
  'make one with curl -fsS https://jobs.example.com/api/v1/receipts/keys -o keys.json';

/** Adds the command. It loads the checks only when it runs. */
export function addVerifyCommand(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('verify')
    .argument('<receipt>', 'receipts')
    .argument('<key>', 'public keys that you trust')
    .description('check receipts offline')
    .addHelpText('after', about)
    .action(async (receiptPath: string, keyPath: string, flags: Flags) => {
      const { judgePaths } = await import('../../receipt/files.ts');
      const { exitCodes, wordsOf } = await import('../../receipt/judge.ts');
      const { Refusal } = await import('../../receipt/refusal.ts');
      const judgement = await judgePaths(receiptPath, keyPath).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        // Keys are read first.
        throw invalidInput(existsSync(keyPath) ? error.message : `${error.message}: ${fetchKeys}`);
      });
      const { verdict } = judgement;
      context.exitCode = exitCodes[verdict];
      if (flags['json']) return printJson(output, judgement);
      for (const line of wordsOf(judgement)) {
        if (verdict === 'unreadable') output.say(line);
        else output.data(line);
      }
    });
}
