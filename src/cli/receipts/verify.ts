/** `jobd verify`: checks receipts, with nothing but the receipts and an archived key. */

import type { Command } from 'commander';
import { invalidInput } from '../../domain/errors.ts';
import type { Flags } from '../../config.ts';
import type { Judgement } from '../../receipt/judge.ts';
import type { Context } from '../context.ts';
import { printJson } from '../terminal/output.ts';

const about = `
<receipt> is a receipt as it was downloaded, a directory of receipts, a file
with one on each line (NDJSON), or - for standard input. <key> is the public
key that you fetched over HTTPS and archived: the answer of /api/v1/receipts/key
or /api/v1/receipts/keys, a JSON Web Key, PEM, or a directory of such files.

Ends with 0 if all is valid, 1 if something is not, 2 if nothing can be judged.

Examples:
  jobd verify receipt.json key.json
  jobd verify receipts/ keys.json --json`;

/** Adds the command. What checks is loaded only when it is needed: a command line's start counts. */
export function addVerifyCommand(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('verify')
    .argument('<receipt>', 'receipts')
    .argument('<key>', 'the public keys you trust')
    .description('check receipts offline')
    .option('--json', 'print one JSON document')
    .addHelpText('after', about)
    .action(async (receiptPath: string, keyPath: string, flags: Flags) => {
      const { exitCodes } = await import('../../receipt/judge.ts');
      const { wordsOf } = await import('../../receipt/words.ts');
      const judgement = await judgePaths(receiptPath, keyPath);
      const { verdict } = judgement;
      context.exitCode = exitCodes[verdict];
      if (flags['json']) return printJson(output, judgement);
      for (const line of wordsOf(judgement)) {
        if (verdict === 'unreadable') output.say(line);
        else output.data(line);
      }
    });
}

/** What cannot be read is refused input. */
async function judgePaths(receiptPath: string, keyPath: string): Promise<Judgement> {
  const files = await import('../../receipt/files.ts');
  const { Refusal } = await import('../../receipt/refusal.ts');
  try {
    return await files.judgePaths(receiptPath, keyPath);
  } catch (error) {
    throw error instanceof Refusal ? invalidInput(error.message) : error;
  }
}
